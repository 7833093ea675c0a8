// The life of an upload: a file is taken, validated, processed item by item, and reported on; or it fails.
// document: bulk-upload-workflow.md
// machine: Upload.state
// pipeline: upload
// key: upload_id
// states: initial_state* uploaded validating validated processing completed! partial_success failed
//
// Numbers guard, words tell. No state means claimed: `claimed_by` is the word. A worker takes uploads in initial_state
// (lease = 0, due is the earliest moment), in validating and in processing (lease = -1 while free). Claimed: lease is
// the token and due = $never. In all other states an upload waits for somebody's step, or rests: lease = 0, due = $never.
// Every batch of items stands in one unit with `advance`, the guard, which moves the place in the file and the counters:
// after a kill the work goes on behind the last item that was written.

// == Arrival ==

// name: seed(rows, now)
// move: -> initial_state
// number: rows.seq
// ready
// Files by their paths, to be taken by a worker and brought all the way.
UNWIND $rows AS r
WITH r.upload_id AS upload_id, r.seq AS seq
MERGE (u:Upload {upload_id: upload_id})
ON CREATE SET u.seq = seq, u.filename = upload_id, u.path = upload_id, u.auto = true, u.state = 'initial_state',
    u.spooled = false, u.processed_items = 0, u.failed_items = 0, u.new_items = 0, u.updated_items = 0, u.unchanged_items = 0,
    u.retry_count = 0, u.retrying = false, u.current_item = 0, u.chunk_item = 0, u.chunk_offset = 0, u.attempts = 0,
    u.due = $now, u.lease = 0, u.lost_claims = 0, u.failure_count = 0
RETURN u.seq AS seq, u.seq = seq AS created, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease,
    u.state AS state;

// name: register(rows, at, at_ms, never)
// move: -> initial_state -> uploaded
// transition: initial_to_uploaded
// number: rows.seq
// A file that is complete and known by its hash, where it is not there yet.
UNWIND $rows AS r
WITH r.upload_id AS upload_id, r.filename AS filename, r.path AS path, r.spooled AS spooled, r.file_size AS file_size,
    r.file_time AS file_time, r.sha256 AS sha256, r.auto AS auto, r.seq AS seq
MERGE (u:Upload {upload_id: upload_id})
ON CREATE SET u.seq = seq, u.filename = filename, u.path = path, u.spooled = spooled, u.file_size = file_size,
    u.file_time = file_time, u.sha256 = sha256, u.auto = auto, u.uploaded_at = $at, u.handed_over = $at_ms,
    u.state = 'uploaded', u.processed_items = 0, u.failed_items = 0, u.new_items = 0, u.updated_items = 0,
    u.unchanged_items = 0, u.retry_count = 0, u.retrying = false, u.current_item = 0, u.chunk_item = 0, u.chunk_offset = 0,
    u.attempts = 0, u.due = $never, u.lease = 0, u.lost_claims = 0, u.failure_count = 0
RETURN u.seq AS seq, u.seq = seq AS created, u.upload_id AS key;

// name: initial_to_uploaded(seqs, lo, hi, token, at)
// move: initial_state -> uploaded
// transition: initial_to_uploaded
// guard
// The file is there and complete; what is known of it follows in the same unit.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'initial_state'
SET u.state = 'uploaded', u.uploaded_at = $at, u.lease = 0, u.claimed_by = NULL, u.claimed_at = NULL, u.attempts = 0,
    u.lost_claims = 0
RETURN u.seq AS seq;

// name: note_file(key, seq, file_size, file_time, sha256, path, at_ms)
// held: seq
// What is known of a file.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
SET u.file_size = $file_size, u.file_time = $file_time, u.sha256 = $sha256, u.path = $path, u.handed_over = $at_ms;

// name: move_file(key, path, file_time)
// The same file stands somewhere else now.
MATCH (u:Upload {upload_id: $key})
SET u.path = $path, u.file_time = $file_time;

// name: drop_file(key, seq)
// held: seq
// Our own copy of the file is gone, since nobody needs it any more.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
SET u.spooled = false, u.path = NULL;

// name: spooled()
// The copies of ours that are still wanted.
MATCH (u:Upload)
WHERE u.spooled = true
RETURN u.path AS path;

// name: choose_auto(key, auto)
// Whether the steps follow each other by themselves.
MATCH (u:Upload {upload_id: $key})
SET u.auto = $auto;

// == Validation ==

// name: validate_upload(seqs, lo, hi, now)
// move: uploaded -> validating
// transition: validate_upload
// manual
// processors: validate_upload_processor
// guard
// ready
// Somebody wants the file validated; a worker reads it through.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.state = 'uploaded' AND u.lease <= 0
SET u.state = 'validating', u.lease = -1, u.due = $now
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: note_validation(key, seq, at, status, errors, total_items, content, format, compression)
// held: seq
// What validation found.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
SET u.validated_at = $at, u.validation_status = $status, u.validation_errors = $errors,
    u.total_items = $total_items, u.parsed_content = $content, u.format = $format, u.compression = $compression;

// name: validation_success(seqs, lo, hi, token, at)
// move: validating -> validated
// transition: validation_success
// criteria: validation_success_criterion
// guard
// The file is sound, and has items.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'validating'
SET u.state = 'validated', u.validated_at = $at, u.lease = 0, u.claimed_by = NULL, u.claimed_at = NULL, u.attempts = 0,
    u.lost_claims = 0, u.last_error = NULL
RETURN u.seq AS seq;

// name: validation_failure(seqs, lo, hi, token, at)
// move: validating -> failed
// transition: validation_failure
// processors: handle_validation_failure_processor
// criteria: validation_failure_criterion
// guard
// The file itself is at fault.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'validating'
SET u.state = 'failed', u.failure_reason = 'validation_failed', u.failed_at = $at, u.lease = 0, u.claimed_by = NULL,
    u.claimed_at = NULL
RETURN u.seq AS seq;

// == Processing ==

// name: start_processing(seqs, lo, hi, now, at)
// move: validated -> processing
// transition: start_processing
// manual
// processors: start_processing_processor
// guard
// ready
// Somebody wants the items; counters begin at nothing, and a worker takes it from here.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.state = 'validated' AND u.lease <= 0
SET u.state = 'processing', u.started_at = $at, u.processed_items = 0, u.failed_items = 0, u.new_items = 0,
    u.updated_items = 0, u.unchanged_items = 0, u.processing_errors = NULL, u.processing_time = 0, u.current_item = 0,
    u.chunk_item = 0, u.chunk_offset = 0, u.retrying = false, u.attempts = 0, u.lease = -1, u.due = $now
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: begin_collection(key, seq, collection_id, progress, at)
// held: seq
// The collection that the items of an upload go into.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
SET u.collection_id = $collection_id, u.processing_progress = $progress
MERGE (c:Collection {collection_id: $collection_id})
ON CREATE SET c.upload_id = $key, c.name = u.filename, c.created_at = $at, c.item_count = 0;

// name: advance(key, seq, token, current_item, chunk_item, chunk_offset, processed, failed, fresh, updated, unchanged, errors, progress)
// guard
// A batch is done: the place in the file and the counters move with its items, in one unit.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq AND u.lease = $token AND u.state = 'processing'
SET u.current_item = $current_item, u.chunk_item = $chunk_item, u.chunk_offset = $chunk_offset,
    u.processed_items = u.processed_items + $processed, u.failed_items = u.failed_items + $failed,
    u.new_items = u.new_items + $fresh, u.updated_items = u.updated_items + $updated,
    u.unchanged_items = u.unchanged_items + $unchanged,
    u.processing_errors = $errors, u.processing_progress = $progress, u.attempts = 0, u.lost_claims = 0
RETURN u.seq AS seq;

// name: collect(rows, collection_id, first_id)
// Items that were just made belong to the collection.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
WITH a
MATCH (c:Collection {collection_id: $collection_id})
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: collect_between(first_id, last_id, collection_id)
// Items that were just made belong to the collection: all from one id to another, in half the time of a look at each.
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId <= $last_id
WITH a
MATCH (c:Collection {collection_id: $collection_id})
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: collect_known(rows, collection_id, first_id)
// Items that were there before belong to the collection, where they do not yet.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
WITH a
MATCH (c:Collection {collection_id: $collection_id})
WHERE NOT EXISTS { MATCH (c)-[:CONTAINS]->(a) }
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: add_errors(rows, key, seq, round, at)
// What was wrong with single items.
UNWIND $rows AS r
WITH r.id AS id, r.`index` AS `index`, r.hnId AS hnId, r.field AS field, r.message AS message, r.given AS given,
    r.chunk_item AS chunk_item, r.chunk_offset AS chunk_offset
MATCH (u:Upload {upload_id: $key})
CREATE (e:UploadError {id: id, upload_id: $key, upload: $seq, round: $round, `index`: `index`, hnId: hnId, field: field,
    message: message, given: given, chunk_item: chunk_item, chunk_offset: chunk_offset, at: $at, gone: 0})
CREATE (u)-[:UPLOAD_ERROR]->(e);

// name: processing_complete_success(seqs, lo, hi, token, at)
// move: processing -> completed
// transition: processing_complete_success
// processors: finalize_success_processor
// criteria: processing_complete_success_criterion
// guard
// All items are in the graph.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'processing'
SET u.state = 'completed', u.completed_at = $at, u.retrying = false, u.lease = 0, u.claimed_by = NULL,
    u.claimed_at = NULL, u.last_error = NULL
RETURN u.seq AS seq;

// name: processing_partial_success(seqs, lo, hi, token, at)
// move: processing -> partial_success
// transition: processing_partial_success
// processors: handle_partial_success_processor
// criteria: processing_partial_success_criterion
// guard
// Some items are in the graph, others failed.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'processing'
SET u.state = 'partial_success', u.partial_completed_at = $at, u.retrying = false, u.lease = 0, u.claimed_by = NULL,
    u.claimed_at = NULL
RETURN u.seq AS seq;

// name: processing_complete_failure(seqs, lo, hi, token, at)
// move: processing -> failed
// transition: processing_complete_failure
// processors: handle_processing_failure_processor
// criteria: processing_complete_failure_criterion
// guard
// No item could be taken in.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token AND u.state = 'processing'
SET u.state = 'failed', u.failure_reason = 'processing_failed', u.failed_at = $at, u.collection_id = NULL,
    u.retrying = false, u.lease = 0, u.claimed_by = NULL, u.claimed_at = NULL
RETURN u.seq AS seq;

// name: note_report(key, seq, took_ms, report, failure_report, details, reason)
// held: seq
// What became of the items, as JSON.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
SET u.processing_time = $took_ms, u.processing_report = $report, u.failure_report = $failure_report,
    u.failure_details = $details, u.last_error = $reason;

// name: close_collection(collection_id, seq, at)
// held: seq
// The collection is complete, or as complete as it is for now.
OPTIONAL MATCH (c:Collection {collection_id: $collection_id})-[k:CONTAINS]->(:HNItem)
WHERE k.gone = 0 AND $seq > 0
WITH count(k.gone) AS items
MATCH (c:Collection {collection_id: $collection_id})
SET c.item_count = items, c.finalized_at = $at;

// name: remove_collection(collection_id, seq)
// held: seq
// A collection that never came to hold anything.
MATCH (c:Collection {collection_id: $collection_id})
WHERE $seq > 0 AND NOT EXISTS { MATCH (c)-[:CONTAINS]->(:HNItem) }
DELETE c;

// == Retries ==

// name: retry_failed_items(seqs, lo, hi, now, at, max_retries)
// move: partial_success -> processing
// transition: retry_failed_items
// manual
// processors: retry_failed_items_processor
// criteria: retry_allowed_criterion
// guard
// ready
// The items that failed, and no others, are processed again.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.state = 'partial_success' AND u.lease <= 0 AND u.retry_count < $max_retries
SET u.retry_total = u.failed_items, u.failed_items = 0, u.processing_errors = NULL, u.failure_report = NULL,
    u.retry_count = u.retry_count + 1, u.retry_started_at = $at, u.retrying = true, u.current_item = 0,
    u.state = 'processing', u.retry_items = '(:Upload)-[:UPLOAD_ERROR]->(:UploadError)', u.attempts = 0, u.lease = -1,
    u.due = $now
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: retry_upload(seqs, lo, hi, at, never, max_retries)
// move: failed -> uploaded
// transition: retry_upload
// manual
// processors: reset_upload_processor
// criteria: retry_allowed_criterion
// guard
// Everything from the start, with nothing left of the time before.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.state = 'failed' AND u.lease <= 0 AND u.retry_count < $max_retries
SET u.validation_errors = NULL, u.validation_status = NULL, u.processing_errors = NULL, u.failure_reason = NULL,
    u.failure_details = NULL, u.failed_at = NULL, u.last_error = NULL, u.processed_items = 0, u.failed_items = 0,
    u.new_items = 0, u.updated_items = 0, u.unchanged_items = 0, u.current_item = 0, u.chunk_item = 0,
    u.chunk_offset = 0, u.processing_progress = NULL, u.processing_report = NULL, u.failure_report = NULL,
    u.retrying = false, u.retry_items = NULL, u.retry_total = NULL, u.attempts = 0, u.lost_claims = 0,
    u.retry_count = u.retry_count + 1, u.reset_at = $at, u.state = 'uploaded', u.lease = 0, u.due = $never
RETURN u.seq AS seq;

// name: dismiss_errors(upload, at_ms)
// held: upload
// Errors of the time before the upload was reset, or began anew.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.gone = 0
SET e.gone = $at_ms;

// name: dismiss_retried(upload, round, after, upto, at_ms)
// Errors whose items were tried again.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.round < $round AND e.`index` > $after AND e.`index` <= $upto AND e.gone = 0
SET e.gone = $at_ms;

// name: to_retry(upload, round, after, limit)
// Which items are to be tried again, in the order of the file.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.round < $round AND e.`index` > $after AND e.gone = 0
RETURN e.`index` AS `index`, e.chunk_item AS chunk_item, e.chunk_offset AS chunk_offset
ORDER BY e.`index` LIMIT $limit;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// move: initial_state -> initial_state
// move: validating -> validating
// move: processing -> processing
// beyond: a worker takes an upload that has something to do.
// Take these uploads, where they are still free and due.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease <= 0 AND u.due <= $now
    AND u.state IN ['initial_state', 'validating', 'processing']
SET u.claimed_by = $worker, u.claimed_at = $at, u.lease = $token, u.due = $never
RETURN u.seq AS seq;

// name: heartbeat(seqs, lo, hi, tokens, at)
// move: initial_state -> initial_state
// move: validating -> validating
// move: processing -> processing
// beyond: says that the work on an upload goes on.
// guard
// Say that the work on these uploads goes on.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease IN $tokens
SET u.claimed_at = $at
RETURN u.seq AS seq, u.lease AS token;

// name: release(seqs, lo, hi, token, due)
// move: initial_state -> initial_state
// move: validating -> validating
// move: processing -> processing
// beyond: a worker that stops gives back what it holds; what was written stays.
// guard
// ready
// Give these uploads back where they stand, not to be claimed again before `due`.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease = $token
SET u.claimed_by = NULL, u.claimed_at = NULL, u.lease = CASE WHEN u.state = 'initial_state' THEN 0 ELSE -1 END,
    u.due = $due
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: retry(key, seq, token, due, error)
// move: initial_state -> initial_state
// move: validating -> validating
// move: processing -> processing
// beyond: what failed in a way that may pass is tried again from where it stood.
// guard
// ready
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq AND u.lease = $token AND u.state IN ['initial_state', 'validating', 'processing']
SET u.claimed_by = NULL, u.claimed_at = NULL, u.attempts = u.attempts + 1, u.failure_count = u.failure_count + 1,
    u.last_error = $error, u.lease = CASE WHEN u.state = 'initial_state' THEN 0 ELSE -1 END, u.due = $due
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: fail(key, seq, token, at, error)
// move: initial_state | validating | processing -> failed
// beyond: the file is gone, or another one, or can't be worked on: what was written before stays.
// guard
// It failed for good: its tries are used up, or trying again can't help.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq AND u.lease = $token AND u.state IN ['initial_state', 'validating', 'processing']
SET u.failure_reason = CASE WHEN u.state = 'processing' THEN 'processing_failed' ELSE 'validation_failed' END,
    u.failed_at = $at, u.claimed_by = NULL, u.claimed_at = NULL, u.attempts = u.attempts + 1,
    u.failure_count = u.failure_count + 1, u.last_error = $error, u.lease = 0, u.state = 'failed'
RETURN u.seq AS seq;

// name: note_failure(seq, key, id, at, attempt, kind, message, trace)
// held: seq
// Keep what went wrong as a node on its row; the id has ten values a row, so that the eleventh replaces the first.
MATCH (u:Upload {upload_id: $key})
WHERE u.seq = $seq
MERGE (f:Failure {id: $id})
SET f.pipeline = 'upload', f.row = $key, f.at = $at, f.attempt = $attempt, f.kind = $kind, f.message = $message,
    f.trace = $trace
MERGE (u)-[:UPLOAD_FAILURE]->(f);

// == The reaper ==

// name: stale(cutoff, limit)
// Claims with no heartbeat since the cutoff, or whose lease was lost by hand.
MATCH (u:Upload)
WHERE u.lease > 0 AND (u.claimed_at IS NULL OR u.claimed_at < $cutoff)
RETURN u.seq AS seq, u.upload_id AS key, u.state AS state, u.lost_claims AS lost_claims,
    u.failure_count AS failure_count, u.claimed_by AS claimed_by
ORDER BY u.seq LIMIT $limit;

// name: reclaim(seqs, lo, hi, cutoff, now, max_lost)
// move: initial_state -> initial_state
// move: validating -> validating
// move: processing -> processing
// beyond: work that was lost goes on from where it stood.
// guard
// ready
// Their worker is gone: free, to be taken up behind the last item that was written.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease > 0
    AND (u.claimed_at IS NULL OR u.claimed_at < $cutoff) AND u.lost_claims + 1 < $max_lost
SET u.claimed_by = NULL, u.claimed_at = NULL, u.lost_claims = u.lost_claims + 1,
    u.lease = CASE WHEN u.state = 'initial_state' THEN 0 ELSE -1 END, u.due = $now
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: initial_state | validating | processing -> failed
// beyond: an upload that takes its worker down each time, and never comes further, must not be tried for ever.
// guard
// Their workers were lost too often: they fail.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease > 0
    AND (u.claimed_at IS NULL OR u.claimed_at < $cutoff) AND u.lost_claims + 1 >= $max_lost
SET u.failure_reason = CASE WHEN u.state = 'processing' THEN 'processing_failed' ELSE 'validation_failed' END,
    u.failed_at = $at, u.claimed_by = NULL, u.claimed_at = NULL, u.lost_claims = u.lost_claims + 1,
    u.failure_count = u.failure_count + 1, u.last_error = $error, u.lease = 0, u.due = $never, u.state = 'failed'
RETURN u.seq AS seq;

// == By hand ==

// name: requeue(seqs, lo, hi, now)
// move: failed -> uploaded -> validating
// beyond failed -> uploaded: from the start with a clean slate, whatever the number of retries.
// beyond uploaded -> validating: and validated at once, as everything that is requeued is worked on.
// ready
// Failed uploads go back to the start with a clean slate.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.state = 'failed' AND u.lease <= 0
SET u.validation_errors = NULL, u.validation_status = NULL, u.processing_errors = NULL, u.failure_reason = NULL,
    u.failure_details = NULL, u.failed_at = NULL, u.last_error = NULL, u.processed_items = 0, u.failed_items = 0,
    u.new_items = 0, u.updated_items = 0, u.unchanged_items = 0, u.current_item = 0, u.chunk_item = 0,
    u.chunk_offset = 0, u.processing_progress = NULL, u.processing_report = NULL, u.failure_report = NULL,
    u.retrying = false, u.retry_items = NULL, u.retry_total = NULL, u.attempts = 0, u.lost_claims = 0,
    u.retry_count = 0, u.state = 'validating', u.lease = -1, u.due = $now
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: exclude(seqs, lo, hi, at, never)
// move: initial_state | uploaded | validating | validated | processing -> failed
// beyond: the document has no place for what nobody wants: it rests as failed, with that as the reason.
// Out for good: never claimed again; what was written of it stays.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.seq IN $seqs AND u.lease <= 0
    AND u.state IN ['initial_state', 'uploaded', 'validating', 'validated', 'processing']
SET u.state = 'failed', u.failure_reason = 'excluded', u.last_error = 'excluded by hand', u.failed_at = $at, u.lease = 0,
    u.due = $never
RETURN u.seq AS seq;

// name: named(keys)
// Where these uploads stand.
UNWIND $keys AS key
MATCH (u:Upload)
WHERE u.upload_id = key
RETURN u.seq AS seq, u.upload_id AS key, u.state AS state, 0 AS depth, u.due AS due, u.lease AS lease,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count;

// name: failed(contains, limit)
// What failed, the newest first, by a part of its name or of its error.
MATCH (u:Upload)
WHERE u.state = 'failed' AND ($contains = '' OR u.upload_id CONTAINS $contains OR u.filename CONTAINS $contains
    OR u.last_error CONTAINS $contains)
RETURN u.seq AS seq, u.upload_id AS key, u.state AS state, u.last_error AS reason, u.retry_count AS retry_count,
    u.failed_at AS failed_at
ORDER BY u.failed_at DESC LIMIT $limit;

// name: failed_named(keys)
// Which of these failed, and why.
UNWIND $keys AS key
MATCH (u:Upload)
WHERE u.upload_id = key AND u.state = 'failed'
RETURN u.seq AS seq, u.upload_id AS key, u.state AS state, u.last_error AS reason, u.retry_count AS retry_count,
    u.failed_at AS failed_at;

// name: failures(key)
// What went wrong with the work on one upload, the newest first.
MATCH (u:Upload {upload_id: $key})-[:UPLOAD_FAILURE]->(f:Failure)
RETURN f.at AS at, f.attempt AS attempt, f.kind AS kind, f.message AS message, f.trace AS trace
ORDER BY f.at DESC;

// == The window of what comes next ==

// name: ready(now, lease, limit)
// What can be claimed now: what starts (lease 0) or what goes on (-1).
MATCH (u:Upload)
WHERE u.due <= $now AND u.lease = $lease
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count
ORDER BY u.seq LIMIT $limit;

// name: frontier(now, lease)
// How many uploads are ready. All lie at the same depth.
MATCH (u:Upload)
WHERE u.due <= $now AND u.lease = $lease
RETURN min(u.lease - u.lease) AS depth, count(*) AS ready;

// name: frontier_at(now, lease, depth)
// Between which numbers the ready uploads lie.
MATCH (u:Upload)
WHERE u.due <= $now AND u.lease = $lease AND $depth = 0
RETURN min(u.seq) AS lo, max(u.seq) AS hi, count(*) AS ready;

// name: ready_at(now, lease, depth, lo, hi, limit)
// What can be claimed now, between two numbers.
MATCH (u:Upload)
WHERE u.seq >= $lo AND u.seq <= $hi AND u.due <= $now AND u.lease = $lease AND $depth = 0
RETURN u.seq AS seq, u.upload_id AS key, 0 AS depth, u.due AS due, u.lease AS lease, u.state AS state,
    u.attempts AS retry_count, u.lost_claims AS lost_claims, u.failure_count AS failure_count
ORDER BY u.seq LIMIT $limit;

// name: next_due(now, lease, never)
// When the next upload that is backing off comes due.
MATCH (u:Upload)
WHERE u.due > $now AND u.due < $never AND u.lease = $lease
RETURN min(u.due) AS due, count(*) AS waiting;

// == Words set by hand ==
// People may set a state at the console: the word wins, and the numbers follow.

// name: misaligned(never, limit)
// Uploads whose numbers do not say what their word says.
MATCH (u:Upload)
WHERE u.seq IS NULL OR u.due IS NULL OR u.lease IS NULL OR u.retry_count IS NULL OR u.attempts IS NULL
    OR u.lost_claims IS NULL OR u.failure_count IS NULL OR u.processed_items IS NULL OR u.failed_items IS NULL
    OR (u.state = 'initial_state' AND (u.lease < 0 OR (u.lease > 0 AND u.due < $never) OR (u.lease = 0 AND u.due >= $never)))
    OR (u.state IN ['validating', 'processing']
        AND (u.lease = 0 OR (u.lease > 0 AND u.due < $never) OR (u.lease < 0 AND u.due >= $never)))
    OR (u.state IN ['uploaded', 'validated', 'completed', 'partial_success', 'failed'] AND (u.lease <> 0 OR u.due < $never))
RETURN u.upload_id AS key, u.state AS state,
    (u.seq IS NULL OR u.due IS NULL OR u.lease IS NULL OR u.retry_count IS NULL OR u.attempts IS NULL
    OR u.lost_claims IS NULL OR u.failure_count IS NULL OR u.processed_items IS NULL OR u.failed_items IS NULL) AS incomplete
LIMIT $limit;

// name: number(rows)
// number: rows.seq
// Give numbers to the uploads that were made, or left, without them by hand.
UNWIND $rows AS r
WITH r.key AS key, r.seq AS seq
MATCH (u:Upload)
WHERE u.upload_id = key
SET u.seq = coalesce(u.seq, seq), u.due = coalesce(u.due, 0), u.lease = coalesce(u.lease, 0),
    u.retry_count = coalesce(u.retry_count, 0), u.attempts = coalesce(u.attempts, 0),
    u.lost_claims = coalesce(u.lost_claims, 0), u.failure_count = coalesce(u.failure_count, 0),
    u.processed_items = coalesce(u.processed_items, 0), u.failed_items = coalesce(u.failed_items, 0);

// name: align_initial(now, never)
// Set to the initial state by hand: free, and due now.
MATCH (u:Upload)
WHERE u.state = 'initial_state' AND (u.lease < 0 OR (u.lease > 0 AND u.due < $never) OR (u.lease = 0 AND u.due >= $never))
SET u.lease = 0, u.due = $now, u.claimed_by = NULL, u.claimed_at = NULL
RETURN u.seq AS seq;

// name: align_middle(now, never)
// Set to a state with work to do by hand: free, to be taken up from there.
MATCH (u:Upload)
WHERE u.state IN ['validating', 'processing']
    AND (u.lease = 0 OR (u.lease > 0 AND u.due < $never) OR (u.lease < 0 AND u.due >= $never))
SET u.lease = -1, u.due = $now, u.claimed_by = NULL, u.claimed_at = NULL
RETURN u.seq AS seq;

// name: align_resting(never)
// Set to a state that waits or rests by hand: in nobody's hands, and never due.
MATCH (u:Upload)
WHERE u.state IN ['uploaded', 'validated', 'completed', 'partial_success', 'failed'] AND (u.lease <> 0 OR u.due < $never)
SET u.lease = 0, u.due = $never, u.claimed_by = NULL, u.claimed_at = NULL
RETURN u.seq AS seq;

// == Where the whole stands ==

// name: counts()
// How many uploads are in each state.
MATCH (u:Upload)
RETURN u.state AS state, count(*) AS count
ORDER BY state;

// name: last_number()
// The highest number given so far.
MATCH (u:Upload)
RETURN max(u.seq) AS seq;

// name: oldest_heartbeat()
// The heartbeat of the claim that has been silent longest.
MATCH (u:Upload)
WHERE u.lease > 0
RETURN min(u.claimed_at) AS at, count(*) AS claimed;

// name: upload(key)
// One upload, whole.
MATCH (u:Upload {upload_id: $key})
RETURN u;

// name: of_file(sha256)
// The uploads of one and the same file, the newest first.
MATCH (u:Upload)
WHERE u.sha256 = $sha256
RETURN u.upload_id AS key, u.state AS state, u.seq AS seq
ORDER BY u.seq DESC;

// name: uploads(limit)
// The newest uploads.
MATCH (u:Upload)
RETURN u
ORDER BY u.seq DESC LIMIT $limit;

// name: errors(upload, after, limit)
// What was wrong with single items, in the order of the file; what was mended since is left out.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.gone = 0 AND e.`index` > $after
RETURN e.`index` AS `index`, e.hnId AS hnId, e.field AS field, e.message AS message, e.given AS given, e.round AS round,
    e.at AS at
ORDER BY e.`index` LIMIT $limit;

// name: collection(collection_id)
// A collection, and how many items it holds.
MATCH (c:Collection {collection_id: $collection_id})
OPTIONAL MATCH (c)-[k:CONTAINS]->(a:HNItem)
RETURN c.collection_id AS collection_id, c.upload_id AS upload_id, c.name AS name, c.created_at AS created_at,
    c.finalized_at AS finalized_at, c.item_count AS item_count, count(a.hnId) AS items;

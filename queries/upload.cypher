// The life of an upload: a file is taken, validated, processed item by item, and reported on; or it fails.
// document: bulk-upload-workflow.md
// machine: Upload.state
// pipeline: upload
// key: upload_id
// retry_count: attempts
// searched: filename
// defaults: retry_count = 0, processed_items = 0, failed_items = 0
// states: initial_state* uploaded validating validated processing completed! partial_success failed removed!
// beyond removed: somebody wants no more of it; relationships are not deleted, so it needs a place of its own.
//
// claimable.cypher explains the guard columns and holds what every pipeline has besides its moves. Uploads are
// claimed in place: no state means claimed. A worker takes uploads in initial_state (lease = 0), in validating and in
// processing (lease = -1 while free). In all other states an upload waits for somebody's step, or rests.
// Every batch of items stands in one unit with `advance`, the guard, which moves the place in the file and the counters:
// after a kill the work goes on behind the last item that was written.

// == Arrival ==

// name: seed(rows, now)
// move: -> initial_state
// number: rows.seq
// ready
// table: rows
// Files by their paths, to be taken by a worker and brought all the way.
UNWIND $rows AS r
WITH r.upload_id AS upload_id, r.seq AS seq
MERGE (a:Upload {upload_id: upload_id})
ON CREATE SET a.seq = seq, a.filename = upload_id, a.path = upload_id, a.auto = true, a.state = 'initial_state',
    a.spooled = false, a.processed_items = 0, a.failed_items = 0, a.new_items = 0, a.updated_items = 0, a.unchanged_items = 0,
    a.retry_count = 0, a.retrying = false, a.current_item = 0, a.chunk_item = 0, a.chunk_offset = 0, a.attempts = 0,
    a.due = $now, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.upload_id AS key, 0 AS depth, a.due AS due, a.lease AS lease,
    a.state AS state;

// name: register(rows, at, at_ms, never)
// move: -> initial_state -> uploaded
// transition: initial_to_uploaded
// number: rows.seq
// table: rows
// A file that is complete and known by its hash, where it is not there yet.
UNWIND $rows AS r
WITH r.upload_id AS upload_id, r.filename AS filename, r.path AS path, r.spooled AS spooled, r.file_size AS file_size,
    r.file_time AS file_time, r.sha256 AS sha256, r.auto AS auto, r.seq AS seq
MERGE (a:Upload {upload_id: upload_id})
ON CREATE SET a.seq = seq, a.filename = filename, a.path = path, a.spooled = spooled, a.file_size = file_size,
    a.file_time = file_time, a.sha256 = sha256, a.auto = auto, a.uploaded_at = $at, a.handed_over = $at_ms,
    a.state = 'uploaded', a.processed_items = 0, a.failed_items = 0, a.new_items = 0, a.updated_items = 0,
    a.unchanged_items = 0, a.retry_count = 0, a.retrying = false, a.current_item = 0, a.chunk_item = 0, a.chunk_offset = 0,
    a.attempts = 0, a.due = $never, a.lease = 0, a.lost_claims = 0, a.failure_count = 0
RETURN a.seq AS seq, a.seq = seq AS created, a.upload_id AS key;

// name: initial_to_uploaded(seqs, lo, hi, token, at)
// move: initial_state -> uploaded
// transition: initial_to_uploaded
// guard
// by: seqs between lo and hi
// The file is there and complete; what is known of it follows in the same unit.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'initial_state'
SET a.state = 'uploaded', a.uploaded_at = $at, a.lease = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.attempts = 0,
    a.lost_claims = 0
RETURN a.seq AS seq;

// == Validation ==

// name: validate_upload(seqs, lo, hi, now)
// move: uploaded -> validating
// transition: validate_upload
// manual
// processors: validate_upload_processor
// guard
// ready
// by: seqs between lo and hi
// Somebody wants the file validated; a worker reads it through.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'uploaded' AND a.lease <= 0
SET a.state = 'validating', a.lease = -1, a.due = $now
RETURN @row;

// name: advance_validation(key, seq, token, current_item, chunk_offset)
// guard
// by: seq
// So many items were counted, up to this place in the file: the next worker goes on from there.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'validating'
SET a.current_item = $current_item, a.chunk_offset = $chunk_offset, a.attempts = 0, a.lost_claims = 0
RETURN a.seq AS seq;

// name: come_further(key, seq, token)
// guard
// by: seq
// A file that is being read has harmed no worker so far: losses before this were not its fault.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'initial_state'
SET a.lost_claims = 0
RETURN a.seq AS seq;

// name: validation_success(seqs, lo, hi, token, at)
// move: validating -> validated
// transition: validation_success
// criteria: validation_success_criterion
// guard
// by: seqs between lo and hi
// The file is sound, and has items.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'validating'
SET a.state = 'validated', a.validated_at = $at, a.lease = 0, a.claimed_by = NULL, a.claimed_at = NULL, a.attempts = 0,
    a.lost_claims = 0, a.last_error = NULL, a.current_item = 0, a.chunk_offset = 0
RETURN a.seq AS seq;

// name: validation_failure(seqs, lo, hi, token, at)
// move: validating -> failed
// transition: validation_failure
// processors: handle_validation_failure_processor
// criteria: validation_failure_criterion
// guard
// by: seqs between lo and hi
// The file itself is at fault.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'validating'
SET a.state = 'failed', a.failure_reason = 'validation_failed', a.failed_at = $at, a.lease = 0, a.claimed_by = NULL,
    a.claimed_at = NULL, a.current_item = 0, a.chunk_offset = 0
RETURN a.seq AS seq;

// == Processing ==

// name: start_processing(seqs, lo, hi, now, at)
// move: validated -> processing
// transition: start_processing
// manual
// processors: start_processing_processor
// guard
// ready
// by: seqs between lo and hi
// Somebody wants the items; counters begin at nothing, and a worker takes it from here.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'validated' AND a.lease <= 0
SET a.state = 'processing', a.started_at = $at, a.processed_items = 0, a.failed_items = 0, a.new_items = 0,
    a.updated_items = 0, a.unchanged_items = 0, a.processing_errors = NULL, a.processing_time = 0, a.current_item = 0,
    a.chunk_item = 0, a.chunk_offset = 0, a.retrying = false, a.attempts = 0, a.lease = -1, a.due = $now
RETURN @row;

// name: advance(key, seq, token, current_item, chunk_item, chunk_offset, processed, failed, fresh, updated, unchanged, errors, progress)
// guard
// by: seq
// A batch is done: the place in the file and the counters move with its items, in one unit.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state = 'processing'
SET a.current_item = $current_item, a.chunk_item = $chunk_item, a.chunk_offset = $chunk_offset,
    a.processed_items = a.processed_items + $processed, a.failed_items = a.failed_items + $failed,
    a.new_items = a.new_items + $fresh, a.updated_items = a.updated_items + $updated,
    a.unchanged_items = a.unchanged_items + $unchanged,
    a.processing_errors = $errors, a.processing_progress = $progress, a.attempts = 0, a.lost_claims = 0
RETURN a.seq AS seq;

// name: processing_complete_success(seqs, lo, hi, token, at)
// move: processing -> completed
// transition: processing_complete_success
// processors: finalize_success_processor
// criteria: processing_complete_success_criterion
// guard
// by: seqs between lo and hi
// All items are in the graph.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'processing'
SET a.state = 'completed', a.completed_at = $at, a.retrying = false, a.lease = 0, a.claimed_by = NULL,
    a.claimed_at = NULL, a.last_error = NULL
RETURN a.seq AS seq;

// name: processing_partial_success(seqs, lo, hi, token, at)
// move: processing -> partial_success
// transition: processing_partial_success
// processors: handle_partial_success_processor
// criteria: processing_partial_success_criterion
// guard
// by: seqs between lo and hi
// Some items are in the graph, others failed.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'processing'
SET a.state = 'partial_success', a.partial_completed_at = $at, a.retrying = false, a.lease = 0, a.claimed_by = NULL,
    a.claimed_at = NULL
RETURN a.seq AS seq;

// name: processing_complete_failure(seqs, lo, hi, token, at)
// move: processing -> failed
// transition: processing_complete_failure
// processors: handle_processing_failure_processor
// criteria: processing_complete_failure_criterion
// guard
// by: seqs between lo and hi
// No item could be taken in.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token AND a.state = 'processing'
SET a.state = 'failed', a.failure_reason = 'processing_failed', a.failed_at = $at, a.collection_id = NULL,
    a.retrying = false, a.lease = 0, a.claimed_by = NULL, a.claimed_at = NULL
RETURN a.seq AS seq;

// == Claims ==

// name: claim(seqs, lo, hi, worker, token, now, at, never)
// stays: initial_state | validating | processing
// beyond: a worker takes an upload that has something to do.
// by: seqs between lo and hi
// Take these uploads, where they are still free and due.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0 AND a.due <= $now
    AND a.state IN ['initial_state', 'validating', 'processing']
SET a.claimed_by = $worker, a.claimed_at = $at, a.lease = $token, a.due = $never
RETURN a.seq AS seq;

// name: release(seqs, lo, hi, token, due)
// stays: initial_state | validating | processing
// beyond: a worker that stops gives back what it holds; what was written stays.
// guard
// ready
// by: seqs between lo and hi
// Give these uploads back where they stand, not to be claimed again before `due`.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease = $token
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END,
    a.due = $due
RETURN @row;

// == Failure ==

// name: retry(key, seq, token, due, error)
// stays: initial_state | validating | processing
// beyond: what failed in a way that may pass is tried again from where it stood.
// guard
// ready
// by: seq
// It failed in a way that may pass: back into the queue, not before `due`.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state IN ['initial_state', 'validating', 'processing']
SET a.claimed_by = NULL, a.claimed_at = NULL, a.attempts = a.attempts + 1, a.failure_count = a.failure_count + 1,
    a.last_error = $error, a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $due
RETURN @row;

// name: fail(key, seq, token, at, error)
// move: initial_state | validating | processing -> failed
// beyond: the file is gone, or another one, or can't be worked on: what was written before stays.
// guard
// by: seq
// It failed for good: its tries are used up, or trying again can't help.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq AND a.lease = $token AND a.state IN ['initial_state', 'validating', 'processing']
SET a.failure_reason = CASE WHEN a.state = 'processing' THEN 'processing_failed' ELSE 'validation_failed' END,
    a.failed_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.attempts = a.attempts + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.state = 'failed'
RETURN a.seq AS seq;

// name: reclaim(seqs, lo, hi, cutoff, due, counted)
// stays: initial_state | validating | processing
// beyond: work that was lost goes on from where it stood.
// guard
// ready
// by: seqs between lo and hi
// Their worker is gone: free, to be taken up behind the last item that was written.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff)
SET a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + $counted,
    a.lease = CASE WHEN a.state = 'initial_state' THEN 0 ELSE -1 END, a.due = $due
RETURN @row;

// name: give_up(seqs, lo, hi, cutoff, at, max_lost, error, never)
// move: initial_state | validating | processing -> failed
// beyond: an upload that takes its worker down each time, and never comes further, must not be tried for ever.
// guard
// by: seqs between lo and hi
// Their workers were lost too often: they fail.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease > 0
    AND (a.claimed_at IS NULL OR a.claimed_at < $cutoff) AND a.lost_claims + 1 >= $max_lost
SET a.failure_reason = CASE WHEN a.state = 'processing' THEN 'processing_failed' ELSE 'validation_failed' END,
    a.failed_at = $at, a.claimed_by = NULL, a.claimed_at = NULL, a.lost_claims = a.lost_claims + 1,
    a.failure_count = a.failure_count + 1, a.last_error = $error, a.lease = 0, a.due = $never, a.state = 'failed'
RETURN a.seq AS seq;

// == By hand ==

// name: retry_failed_items(seqs, lo, hi, now, at, max_retries)
// move: partial_success -> processing
// transition: retry_failed_items
// manual
// processors: retry_failed_items_processor
// criteria: retry_allowed_criterion
// guard
// ready
// by: seqs between lo and hi
// The items that failed, and no others, are processed again.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'partial_success' AND a.lease <= 0 AND a.retry_count < $max_retries
SET a.retry_total = a.failed_items, a.failed_items = 0, a.processing_errors = NULL, a.failure_report = NULL,
    a.retry_count = a.retry_count + 1, a.retry_started_at = $at, a.retrying = true, a.current_item = 0,
    a.state = 'processing', a.retry_items = '(:Upload)-[:UPLOAD_ERROR]->(:UploadError)', a.attempts = 0, a.lease = -1,
    a.due = $now
RETURN @row;

// name: retry_upload(seqs, lo, hi, at, never, max_retries)
// move: failed -> uploaded
// transition: retry_upload
// manual
// processors: reset_upload_processor
// criteria: retry_allowed_criterion
// guard
// by: seqs between lo and hi
// Everything from the start, with nothing left of the time before.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0 AND a.retry_count < $max_retries
SET a.validation_errors = NULL, a.validation_status = NULL, a.processing_errors = NULL, a.failure_reason = NULL,
    a.failure_details = NULL, a.failed_at = NULL, a.last_error = NULL, a.processed_items = 0, a.failed_items = 0,
    a.new_items = 0, a.updated_items = 0, a.unchanged_items = 0, a.current_item = 0, a.chunk_item = 0,
    a.chunk_offset = 0, a.processing_progress = NULL, a.processing_report = NULL, a.failure_report = NULL,
    a.retrying = false, a.retry_items = NULL, a.retry_total = NULL, a.attempts = 0, a.lost_claims = 0,
    a.retry_count = a.retry_count + 1, a.reset_at = $at, a.state = 'uploaded', a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// name: requeue(seqs, lo, hi, now)
// move: failed -> uploaded -> validating
// beyond failed -> uploaded: from the start with a clean slate, whatever the number of retries.
// beyond uploaded -> validating: and validated at once, as everything that is requeued is worked on.
// ready
// by: seqs between lo and hi
// Failed uploads go back to the start with a clean slate.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.state = 'failed' AND a.lease <= 0
SET a.validation_errors = NULL, a.validation_status = NULL, a.processing_errors = NULL, a.failure_reason = NULL,
    a.failure_details = NULL, a.failed_at = NULL, a.last_error = NULL, a.processed_items = 0, a.failed_items = 0,
    a.new_items = 0, a.updated_items = 0, a.unchanged_items = 0, a.current_item = 0, a.chunk_item = 0,
    a.chunk_offset = 0, a.processing_progress = NULL, a.processing_report = NULL, a.failure_report = NULL,
    a.retrying = false, a.retry_items = NULL, a.retry_total = NULL, a.attempts = 0, a.lost_claims = 0,
    a.retry_count = 0, a.state = 'validating', a.lease = -1, a.due = $now
RETURN @row;

// name: exclude(seqs, lo, hi, at, never)
// move: initial_state | uploaded | validating | validated | processing -> failed
// beyond: the document has no place for what nobody wants: it rests as failed, with that as the reason.
// by: seqs between lo and hi
// Out for good: never claimed again; what was written of it stays.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0
    AND a.state IN ['initial_state', 'uploaded', 'validating', 'validated', 'processing']
SET a.state = 'failed', a.failure_reason = 'excluded', a.last_error = 'excluded by hand', a.failed_at = $at, a.lease = 0,
    a.due = $never
RETURN a.seq AS seq;

// name: remove(seqs, lo, hi, at, never)
// move: uploaded | validated | completed | partial_success | failed -> removed
// beyond: somebody takes an upload out of the lists, with the copy of its file that was kept.
// guard
// by: seqs between lo and hi
// Out of the lists; what was written of it stays, and the same file is a new upload.
MATCH (a:Upload)
WHERE a.seq >= $lo AND a.seq <= $hi AND a.seq IN $seqs AND a.lease <= 0
    AND a.state IN ['uploaded', 'validated', 'completed', 'partial_success', 'failed']
SET a.state = 'removed', a.reset_at = $at, a.spooled = false, a.path = NULL, a.lease = 0, a.due = $never
RETURN a.seq AS seq;

// == What an upload holds ==

// name: note_file(key, seq, file_size, file_time, sha256, path, at_ms)
// held: seq
// What is known of a file.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.file_size = $file_size, a.file_time = $file_time, a.sha256 = $sha256, a.path = $path, a.handed_over = $at_ms;

// name: move_file(key, path, file_time)
// The same file stands somewhere else now.
MATCH (a:Upload {upload_id: $key})
SET a.path = $path, a.file_time = $file_time;

// name: drop_file(key, seq)
// held: seq
// Our own copy of the file is gone, since nobody needs it any more.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.spooled = false, a.path = NULL;

// name: choose_auto(key, auto)
// Whether the steps follow each other by themselves.
MATCH (a:Upload {upload_id: $key})
SET a.auto = $auto;

// name: note_validation(key, seq, at, status, errors, total_items, content, format, compression, item_form)
// held: seq
// What validation found.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.validated_at = $at, a.validation_status = $status, a.validation_errors = $errors,
    a.total_items = $total_items, a.parsed_content = $content, a.format = $format, a.compression = $compression,
    a.item_form = $item_form;

// name: note_report(key, seq, took_ms, report, failure_report, details, reason)
// held: seq
// What became of the items, as JSON.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.processing_time = $took_ms, a.processing_report = $report, a.failure_report = $failure_report,
    a.failure_details = $details, a.last_error = $reason;

// name: note_progress(key, seq, progress)
// held: seq
// How far it is, as JSON.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.processing_progress = $progress;

// name: begin_collection(key, seq, collection_id, at)
// held: seq
// The collection that the items of an upload go into, made with the first of them: none is ever empty.
MATCH (a:Upload {upload_id: $key})
WHERE a.seq = $seq
SET a.collection_id = $collection_id
MERGE (c:Collection {collection_id: $collection_id})
ON CREATE SET c.upload_id = $key, c.name = a.filename, c.created_at = $at, c.item_count = 0;

// name: collect(rows, collection_id, first_id)
// table: rows
// floor: first_id
// Items that were just made belong to the collection.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
WITH a
MATCH (c:Collection {collection_id: $collection_id})
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: collect_between(first_id, last_id, collection_id)
// literal: first_id, last_id
// Items that were just made belong to the collection: all from one id to another, in half the time of a look at each.
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId <= $last_id
WITH a
MATCH (c:Collection {collection_id: $collection_id})
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: collect_known(rows, collection_id, first_id)
// table: rows
// floor: first_id
// Items that were there before belong to the collection, where they do not yet.
UNWIND $rows AS r
WITH r.hnId AS hnId
MATCH (a:HNItem)
WHERE a.hnId >= $first_id AND a.hnId = hnId
WITH a
MATCH (c:Collection {collection_id: $collection_id})
WHERE NOT EXISTS { MATCH (c)-[:CONTAINS]->(a) }
CREATE (c)-[:CONTAINS {gone: 0}]->(a);

// name: close_collection(collection_id, seq, at)
// held: seq
// unlocked: its claim is held, so its upload is locked.
// The collection is complete, or as complete as it is for now.
OPTIONAL MATCH (c:Collection {collection_id: $collection_id})-[k:CONTAINS]->(:HNItem)
WHERE k.gone = 0 AND $seq > 0
WITH count(k.gone) AS items
MATCH (c:Collection {collection_id: $collection_id})
SET c.item_count = items, c.finalized_at = $at;

// name: remove_collection(collection_id, seq)
// held: seq
// A collection that never came to hold anything, as earlier versions made them.
MATCH (c:Collection {collection_id: $collection_id})
WHERE $seq > 0 AND NOT EXISTS { MATCH (c)-[:CONTAINS]->(:HNItem) }
DELETE c;

// name: add_errors(rows, key, seq, round, at)
// table: rows
// What was wrong with single items.
UNWIND $rows AS r
WITH r.id AS id, r.`index` AS `index`, r.hnId AS hnId, r.field AS field, r.message AS message, r.given AS given,
    r.chunk_item AS chunk_item, r.chunk_offset AS chunk_offset
MATCH (a:Upload {upload_id: $key})
CREATE (e:UploadError {id: id, upload_id: $key, upload: $seq, round: $round, `index`: `index`, hnId: hnId, field: field,
    message: message, given: given, chunk_item: chunk_item, chunk_offset: chunk_offset, at: $at, gone: 0})
CREATE (a)-[:UPLOAD_ERROR]->(e);

// name: dismiss_errors(upload, at_ms)
// held: upload
// unlocked: beside a guard of its upload, and who comes second writes a later stamp.
// Errors of the time before the upload was reset, or began anew.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.gone = 0
SET e.gone = $at_ms;

// name: dismiss_retried(upload, round, after, upto, at_ms)
// unlocked: beside a guard of its upload, and who comes second writes a later stamp.
// Errors whose items were tried again.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.round < $round AND e.`index` > $after AND e.`index` <= $upto AND e.gone = 0
SET e.gone = $at_ms;

// == Lists ==
// Uploads are also found by the name of their file, and taken by their key; `retry_count` counts retries by hand.

// name: named(keys)
// Where these uploads stand.
UNWIND $keys AS key
MATCH (a:Upload)
WHERE a.upload_id = key
RETURN a.seq AS seq, a.upload_id AS key, a.state AS state, 0 AS depth, a.due AS due, a.lease AS lease,
    a.attempts AS retry_count, a.lost_claims AS lost_claims, a.failure_count AS failure_count;

// name: failed(contains, limit)
// What failed, the newest first, by a part of its name or of its error.
MATCH (a:Upload)
WHERE a.state = 'failed' AND ($contains = '' OR a.upload_id CONTAINS $contains OR a.filename CONTAINS $contains
    OR a.last_error CONTAINS $contains)
RETURN a.seq AS seq, a.upload_id AS key, a.state AS state, a.last_error AS reason, a.retry_count AS retry_count,
    a.failed_at AS failed_at
ORDER BY a.failed_at DESC LIMIT $limit;

// name: failed_named(keys)
// Which of these failed, and why.
UNWIND $keys AS key
MATCH (a:Upload)
WHERE a.upload_id = key AND a.state = 'failed'
RETURN a.seq AS seq, a.upload_id AS key, a.state AS state, a.last_error AS reason, a.retry_count AS retry_count,
    a.failed_at AS failed_at;

// == Reads ==

// name: to_retry(upload, round, after, limit)
// Which items are to be tried again, in the order of the file.
MATCH (e:UploadError)
WHERE e.upload = $upload AND e.round < $round AND e.`index` > $after AND e.gone = 0
RETURN e.`index` AS `index`, e.chunk_item AS chunk_item, e.chunk_offset AS chunk_offset
ORDER BY e.`index` LIMIT $limit;

// name: spooled()
// The copies of ours that are still wanted.
MATCH (a:Upload)
WHERE a.spooled = true
RETURN a.path AS path;

// name: upload(key)
// One upload, whole.
MATCH (u:Upload {upload_id: $key})
RETURN u;

// name: of_file(sha256)
// The uploads of one and the same file, the newest first.
MATCH (a:Upload)
WHERE a.sha256 = $sha256
RETURN a.upload_id AS key, a.state AS state, a.seq AS seq
ORDER BY a.seq DESC;

// name: uploads(state, contains, before, limit)
// The uploads, the newest first, by state or a part of the file's name.
MATCH (u:Upload)
WHERE u.seq < $before AND u.state <> 'removed' AND ($state = '' OR u.state = $state)
    AND ($contains = '' OR lower(u.filename) CONTAINS $contains)
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

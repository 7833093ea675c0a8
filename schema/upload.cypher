// entity: upload
// after: hn_item
// A file of items and where it stands, with the document's names; its collection, and what was wrong with single items.
// `seq`, `due` and `lease` guard every move. The next item to read is `current_item`; `chunk_item` is the last one whose
// place in the text is known, `chunk_offset`. `parsed_content` and `retry_items` say where these are: the file itself,
// and the error nodes. `retry_count` counts retries by hand, `attempts` and `lost_claims` the workers' own.

// version: 1
CREATE NODE TABLE Upload(
    upload_id STRING PRIMARY KEY,
    state STRING DEFAULT 'initial_state',
    filename STRING,
    path STRING,
    spooled BOOLEAN,
    file_size INT64,
    file_time INT64,
    sha256 STRING,
    format STRING,
    compression STRING,
    auto BOOLEAN,
    uploaded_at TIMESTAMP,
    handed_over INT64,
    total_items INT64,
    parsed_content STRING,
    validation_errors STRING[],
    validation_status STRING,
    validated_at TIMESTAMP,
    started_at TIMESTAMP,
    processed_items INT64 DEFAULT 0,
    failed_items INT64 DEFAULT 0,
    new_items INT64 DEFAULT 0,
    updated_items INT64 DEFAULT 0,
    unchanged_items INT64 DEFAULT 0,
    processing_errors STRING[],
    processing_progress STRING,
    processing_time INT64 DEFAULT 0,
    processing_report STRING,
    failure_report STRING,
    collection_id STRING,
    completed_at TIMESTAMP,
    partial_completed_at TIMESTAMP,
    failure_reason STRING,
    failure_details STRING[],
    failed_at TIMESTAMP,
    retry_count INT64 DEFAULT 0,
    retry_started_at TIMESTAMP,
    retry_items STRING,
    retry_total INT64,
    retrying BOOLEAN DEFAULT false,
    reset_at TIMESTAMP,
    current_item INT64 DEFAULT 0,
    chunk_item INT64 DEFAULT 0,
    chunk_offset INT64 DEFAULT 0,
    claimed_by STRING,
    claimed_at TIMESTAMP,
    attempts INT64 DEFAULT 0,
    last_error STRING,
    seq INT64,
    due INT64 DEFAULT 0,
    lease INT64 DEFAULT 0,
    lost_claims INT64 DEFAULT 0,
    failure_count INT64 DEFAULT 0
);
CREATE NODE TABLE Collection(
    collection_id STRING PRIMARY KEY,
    upload_id STRING,
    name STRING,
    created_at TIMESTAMP,
    finalized_at TIMESTAMP,
    item_count INT64 DEFAULT 0
);
CREATE NODE TABLE UploadError(
    id STRING PRIMARY KEY,
    upload_id STRING,
    upload INT64,
    round INT64,
    `index` INT64,
    hnId INT64,
    field STRING,
    message STRING,
    given STRING,
    chunk_item INT64,
    chunk_offset INT64,
    at TIMESTAMP,
    gone INT64 DEFAULT 0
);
CREATE REL TABLE CONTAINS(FROM Collection TO HNItem, gone INT64 DEFAULT 0);
CREATE REL TABLE UPLOAD_ERROR(FROM Upload TO UploadError);
CREATE REL TABLE UPLOAD_FAILURE(FROM Upload TO Failure);

// version: 2
// The form in which the first item came.
ALTER TABLE Upload ADD item_form STRING;

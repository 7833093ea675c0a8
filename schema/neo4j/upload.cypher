// entity: upload
// after: hn_item
// Keys and numbers are unique. upload_queue gives the queue in claim order, and finds what is claimed; upload_error_item
// gives the errors of an upload in the order of its file.

// version: 1
CREATE CONSTRAINT upload_id IF NOT EXISTS FOR (u:Upload) REQUIRE u.upload_id IS UNIQUE;
CREATE CONSTRAINT upload_seq IF NOT EXISTS FOR (u:Upload) REQUIRE u.seq IS UNIQUE;
CREATE INDEX upload_queue IF NOT EXISTS FOR (u:Upload) ON (u.lease, u.due, u.seq);
CREATE INDEX upload_state IF NOT EXISTS FOR (u:Upload) ON (u.state);
CREATE INDEX upload_sha256 IF NOT EXISTS FOR (u:Upload) ON (u.sha256);
CREATE CONSTRAINT collection_id IF NOT EXISTS FOR (c:Collection) REQUIRE c.collection_id IS UNIQUE;
CREATE CONSTRAINT upload_error_id IF NOT EXISTS FOR (e:UploadError) REQUIRE e.id IS UNIQUE;
CREATE INDEX upload_error_item IF NOT EXISTS FOR (e:UploadError) ON (e.upload, e.`index`);

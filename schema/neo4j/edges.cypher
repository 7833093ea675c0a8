// entity: edges
// after: article, hn_item, news_article, scrape_item
// Keys are unique.

// version: 1
CREATE CONSTRAINT address_address IF NOT EXISTS FOR (d:Address) REQUIRE d.address IS UNIQUE;
CREATE CONSTRAINT edge_job_name IF NOT EXISTS FOR (j:EdgeJob) REQUIRE j.name IS UNIQUE;

// version: 2
CREATE CONSTRAINT text_bucket_id IF NOT EXISTS FOR (b:TextBucket) REQUIRE b.id IS UNIQUE;
CREATE CONSTRAINT near_duplicates_id IF NOT EXISTS FOR (g:NearDuplicates) REQUIRE g.id IS UNIQUE;

// version: 3
// Articles have near duplicates, too; a relationship needs nothing here.
CREATE INDEX section_place IF NOT EXISTS FOR (s:Section) ON (s.position, s.part, s.seq);

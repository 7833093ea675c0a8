"""Uploads: files of items of Hacker News, validated, processed and reported on."""

PIPELINE = "upload"

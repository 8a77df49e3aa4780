-- The bytes of an object are found by its version: whether an upload has ended, and whether a file may go.
create index objects_version_idx on storage.objects (version);

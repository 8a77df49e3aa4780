import { expect, test } from 'vitest';
import { onEachStore } from '#tests/support/storage.ts';

onEachStore((stage) => {
  test('GET /bucket/{id} answers exactly the known fields (contract §3.2)', async () => {
    const { data, error } = await stage().service.storage.getBucket('images');
    expect(error).toBeNull();
    expect(data).toEqual({
      id: 'images',
      name: 'images',
      owner: '',
      public: false,
      file_size_limit: 1024,
      allowed_mime_types: ['image/*', 'application/pdf'],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
  });

  test('A missing bucket is NoSuchBucket with HTTP 400 and 404 in the body (contract §3.1)', async () => {
    const { service, server } = stage();
    const { error } = await service.storage.getBucket('nowhere');
    expect(error).toMatchObject({ status: 400, statusCode: '404', message: 'Bucket not found' });
    const response = await fetch(`${server.url}/storage/v1/bucket/nowhere`, {
      headers: { apikey: server.backend.keys.secretKey },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      statusCode: '404',
      error: 'Bucket not found',
      message: 'Bucket not found',
      code: 'NoSuchBucket',
    });
  });

  test('POST /bucket makes a bucket with limits in decimal units, once (contract §3.2)', async () => {
    const { service } = stage();
    const options = { public: true, fileSizeLimit: '10mb', allowedMimeTypes: ['audio/*'] };
    expect(await service.storage.createBucket('made', options)).toMatchObject({ data: { name: 'made' }, error: null });
    const { data } = await service.storage.getBucket('made');
    expect(data).toMatchObject({ public: true, file_size_limit: 10_000_000, allowed_mime_types: ['audio/*'] });
    const again = await service.storage.createBucket('made', { public: false });
    expect(again.error).toMatchObject({ status: 400, statusCode: '409', message: 'The resource already exists' });
  });

  test.each([
    ['with/slash', 'InvalidBucketName'],
    ['ümlaut', 'InvalidBucketName'],
    [' padded', 'InvalidBucketName'],
    ['x'.repeat(101), 'InvalidBucketName'],
    ['', 'InvalidBucketName'],
  ])('The bucket name %j is %s (contract §3.1)', async (name, code) => {
    const { error } = await stage().service.storage.createBucket(name, { public: false });
    expect(error).toMatchObject({ status: 400, statusCode: '400', code });
  });

  test.each([
    [{ fileSizeLimit: '1tb' }, 'InvalidRequest'],
    [{ fileSizeLimit: -1 }, 'InvalidRequest'],
    [{ fileSizeLimit: '21mb' }, 'EntityTooLarge'],
    [{ allowedMimeTypes: ['pictures'] }, 'InvalidMimeType'],
  ])('POST /bucket refuses %j (contract §3.2)', async (options, code) => {
    const { error } = await stage().service.storage.createBucket('refused', { public: false, ...options });
    expect(error).toMatchObject({ status: 400, code });
    expect((await stage().service.storage.getBucket('refused')).error).not.toBeNull();
  });

  test('Without a policy only the service creates, changes, empties or deletes a bucket (contract §3.1)', async () => {
    const { server, user, service } = stage();
    await service.storage.createBucket('kept', { public: false });
    await service.storage.from('kept').upload('a.txt', 'a');
    for (const { storage } of [server.client(), (await user()).client]) {
      const made = await storage.createBucket('mine', { public: true });
      expect(made.error).toMatchObject({
        status: 400,
        statusCode: '403',
        code: 'AccessDenied',
        message: 'new row violates row-level security policy',
      });
      expect((await storage.updateBucket('kept', { public: true })).error).toMatchObject({ code: 'NoSuchBucket' });
      expect((await storage.emptyBucket('kept')).error).toMatchObject({ status: 403, code: 'AccessDenied' });
      expect((await service.storage.from('kept').list()).data).toHaveLength(1);
      expect((await storage.deleteBucket('kept')).error).not.toBeNull();
    }
    expect((await service.storage.getBucket('kept')).data).toMatchObject({ public: false });
  });

  test('GET /bucket lists the visible buckets, sorted, searched without wildcards, paged (contract §3.2)', async () => {
    const { service, server } = stage();
    await service.storage.createBucket('hidden', { public: false });
    await service.storage.createBucket('list_a', { public: false });
    await service.storage.createBucket('listxa', { public: false });
    const all = await service.storage.listBuckets();
    expect(all.data?.map(({ id }) => id)).toEqual(expect.arrayContaining(['hidden', 'private', 'public']));
    expect(all.data?.[0]).toMatchObject({ type: 'STANDARD' });
    const seen = await server.client().storage.listBuckets();
    expect(seen.data?.map(({ id }) => id)).not.toContain('hidden');
    const searched = await service.storage.listBuckets({ search: 'list_', sortColumn: 'name' });
    expect(searched.data?.map(({ id }) => id)).toEqual(['list_a']);
    const paged = await service.storage.listBuckets({
      limit: 1,
      offset: 1,
      sortColumn: 'id',
      sortOrder: 'desc',
      search: 'LIST',
    });
    expect(paged.data?.map(({ id }) => id)).toEqual(['list_a']);
  });

  test('PUT /bucket/{id} changes only what is given (contract §3.2)', async () => {
    const { service } = stage();
    await service.storage.createBucket('changed', {
      public: false,
      fileSizeLimit: 100,
      allowedMimeTypes: ['image/png'],
    });
    const { data } = await service.storage.updateBucket('changed', { public: true });
    expect(data).toEqual({ message: 'Successfully updated' });
    expect((await service.storage.getBucket('changed')).data).toMatchObject({ public: true, file_size_limit: 100 });
    await service.storage.updateBucket('changed', { public: true, fileSizeLimit: null, allowedMimeTypes: null });
    expect((await service.storage.getBucket('changed')).data).toMatchObject({
      file_size_limit: null,
      allowed_mime_types: null,
    });
  });

  test('Empty and DELETE /bucket/{id}: deletes only an empty bucket, and its files (contract §3.2)', async () => {
    const { service, files } = stage();
    await service.storage.createBucket('going', { public: false });
    const before = (await files()).length;
    await service.storage.from('going').upload('deep/a.txt', 'a');
    await service.storage.from('going').upload('b.txt', 'b');
    expect((await service.storage.deleteBucket('going')).error).toMatchObject({
      status: 400,
      statusCode: '409',
      code: 'ResourceNotEmpty',
    });
    expect((await service.storage.emptyBucket('going')).data).toEqual({
      message: 'Empty bucket has been queued. Completion may take up to an hour.',
    });
    expect(await files()).toHaveLength(before);
    expect((await service.storage.deleteBucket('going')).data).toEqual({ message: 'Successfully deleted' });
    expect((await service.storage.getBucket('going')).error).toMatchObject({ code: 'NoSuchBucket' });
    expect((await service.storage.deleteBucket('going')).error).toMatchObject({ code: 'NoSuchBucket' });
  });

  test('[storage.buckets.X] of config.toml are there from the start', async () => {
    const { service } = stage();
    expect((await service.storage.getBucket('public')).data).toMatchObject({ public: true });
    expect((await service.storage.getBucket('private')).data).toMatchObject({ public: false, file_size_limit: null });
  });

  test('/status and /version answer (contract §3.2)', async () => {
    const { server } = stage();
    const status = await fetch(`${server.url}/storage/v1/status`);
    expect([status.status, await status.text()]).toEqual([200, '']);
    expect(await (await fetch(`${server.url}/storage/v1/version`)).text()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('An unknown route is a plain 404 (contract §3.1)', async () => {
    const response = await fetch(`${stage().server.url}/storage/v1/nothing/here`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      message: 'Route GET:/storage/v1/nothing/here not found',
      error: 'Not Found',
      statusCode: 404,
    });
  });
});

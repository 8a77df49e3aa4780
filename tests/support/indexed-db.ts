import * as fake from 'fake-indexeddb';

/** An empty IndexedDB in each file that imports this: `fake-indexeddb/auto` makes one a process. */
const { default: _default, forceCloseDatabase: _close, indexedDB: _shared, ...types } = fake;
Object.assign(globalThis, types, { indexedDB: new fake.IDBFactory() });

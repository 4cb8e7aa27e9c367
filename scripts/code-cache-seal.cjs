// What a kept cache begins with: two checksums, of the source that it was compiled from and of source and cache together. V8 itself
// compares no more than the length of the source, and a cache with a broken byte ends the process. The doors that read caches
// (launcher.cjs, library.mjs) take one only if both checksums hold. crc32 is fast, and node:zlib is loaded in a third of the time of node:crypto.
'use strict';
const { crc32 } = require('node:zlib');

/** `source` is the text that was compiled, one byte for each character. */
exports.seal = function seal(source, data) {
  const head = Buffer.alloc(8); // as long as a pointer: V8 copies data that is not aligned
  const bytes = Buffer.from(source, 'latin1');
  head.writeUInt32LE(crc32(bytes), 0);
  head.writeUInt32LE(crc32(data, crc32(bytes)), 4);
  return Buffer.concat([head, data]);
};

/** The cache, if it is whole and was compiled from these bytes. */
exports.unseal = function unseal(bytes, kept) {
  const data = kept.subarray(8);
  const ofSource = crc32(bytes);
  const isWhole =
    kept.length > 8 && kept.readUInt32LE(0) === ofSource && kept.readUInt32LE(4) === crc32(data, ofSource);
  return isWhole ? data : undefined;
};

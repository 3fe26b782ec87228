// How the builds print what their files take: as they are, by gzip, and by brotli.
import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Bytes in KiB. */
export const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;

/** Prints a file's line; `gzip` and `brotli` are the compressed lengths, if they are known already. */
export function printSize(
  label,
  bytes,
  gzip = gzipSync(bytes, { level: 9 }).length,
  brotli = brotliCompressSync(bytes).length,
) {
  const [whole, zipped, small] = [bytes.length, gzip, brotli].map((length) => kib(length).padStart(10));
  console.log(`  ${label.padEnd(40)} ${whole}  gzip ${zipped}  brotli ${small}`);
}

// protobufjs: plain errors of the parser, RangeError and ProtocolError of the reader, errno of load().
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['protobufjs'] });
const use = (work) => async () => work((await import('protobufjs')).default);
const parse = (text, then = (root) => root) => use((protobuf) => then(protobuf.parse(text).root));
const ORDER = 'syntax = "proto3"; message Order { string id = 1; int32 count = 2; }';
const decode = (bytes, text = ORDER) =>
  parse(text, (root) => root.lookupType('Order').decode(Buffer.from(bytes)));

const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE');
lib.add('illegal', wrong, 'illegal token', parse('message Order { frob }'));
lib.add('cut-file', wrong, 'illegal end of input of a .proto', parse('syntax = "proto3"; message Order {'));
lib.add(
  'same-id',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'ALREADY_EXISTS'),
  'duplicate id',
  parse('syntax = "proto3"; message Order { string a = 1; string b = 1; }'),
);
lib.add(
  'same-name',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'ALREADY_EXISTS'),
  'duplicate name',
  parse('syntax = "proto3"; message Order {} message Order {}'),
);
lib.add(
  'no-field-type',
  final('NOT_FOUND', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'no such Type or Enum',
  parse('syntax = "proto3"; message Order { Item a = 1; }', (root) => root.resolveAll()),
);
lib.add(
  'no-type',
  final('NOT_FOUND', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'no such type',
  parse(ORDER, (root) => root.lookupType('Invoice')),
);
const answer = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add(
  'cut',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'index out of range: the message ends in the middle',
  decode([0x0a, 0x10, 0x61]),
);
lib.add('wire-type', answer, 'invalid wire type', decode([0x0f, 1, 1]));
lib.add('varint', answer, 'invalid varint encoding', decode([0x10, ...Array(12).fill(255)]));
lib.add('page', answer, 'a page of HTML is no message', decode(Buffer.from('<html><body>no</body></html>')));
lib.add(
  'required',
  answer,
  'ProtocolError: missing required',
  decode([], 'syntax = "proto2"; message Order { required string id = 1; }'),
);
lib.add(
  'no-buffer',
  final('VALIDATION_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'illegal buffer: a mistake of the program',
  parse(ORDER, (root) => root.lookupType('Order').decode('x')),
);
lib.add(
  'no-object',
  final('VALIDATION_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'object expected',
  parse(ORDER, (root) => root.lookupType('Order').fromObject(7)),
);
lib.add(
  'verified',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'what verify() says, as its documentation throws it',
  parse(ORDER, (root) => {
    throw new Error(root.lookupType('Order').verify({ id: 7 }));
  }),
);
lib.add(
  'missing-file',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT of load()',
  use((protobuf) => protobuf.load('/nowhere/order.proto')),
);
lib.add(
  'folder',
  final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'EISDIR of load()',
  use((protobuf) => protobuf.load('/')),
);
lib.add(
  'missing-import',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT of what a file imports',
  use(async (protobuf) => {
    const place = mkdtempSync(path.join(tmpdir(), 'proto-'));
    try {
      writeFileSync(
        path.join(place, 'order.proto'),
        'syntax = "proto3"; import "nowhere/item.proto"; message Order {}',
      );
      return await protobuf.load(path.join(place, 'order.proto'));
    } finally {
      rmSync(place, { recursive: true });
    }
  }),
);
export default lib;

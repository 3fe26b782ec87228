// Languages are tables: a build has some from the start, and more can be added. The sources are imported, as the function that
// adds one is no part of the package's surface.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../src/message/locale/en.js';
import { LOCALE_TABLES } from '../src/message/locales.js';
import { LOCALES, registerLocale } from '../src/message/templates.js';
import { getUserFriendlyMessage } from '../src/message/user-message.js';

const said = (locale: string) => getUserFriendlyMessage('CAPACITY_EXCEEDED', {}, { locale });

test('every language has the rows of English', () => {
  for (const rows of LOCALE_TABLES) assert.equal(rows.length, en.length, rows[0]);
  assert.deepEqual(LOCALES, ['en', 'de', 'es', 'fr', 'ja', 'zh']);
});

test('a language that is not there is English, until it is registered', () => {
  assert.equal(said('eo-XX'), said('en'));
  registerLocale(['eo', ...en.slice(1).map((row) => row.replace('Too many requests', 'Tro da petoj'))]);
  assert.match(said('eo-XX'), /^Tro da petoj are already under way/);
  assert.match(said('eo_XX.UTF-8'), /^Tro da petoj/);
  assert.equal(said('tlh'), said('en'));
});

test('a language that is registered again is replaced', () => {
  registerLocale(['eo', ...en.slice(1)]);
  assert.equal(said('eo'), said('en'));
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandTemplate, missingVariables, templateVariables } from './uri-template.js';

const anyText = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
const values = {
  x: 'a b',
  y: '1024',
  path: 'dir/file name.txt',
  empty: '',
  half: '\ud800!',
  uni: 'Köln',
  reserved: '%41 100%',
};

// The expectations follow the tables of RFC 6570, section 3.2.
test.each([
  ['demo://resource/{x}', 'demo://resource/a%20b'],
  ['file:///{+path}', 'file:///dir/file%20name.txt'],
  ['file:///{path}', 'file:///dir%2Ffile%20name.txt'],
  ['q://search{?x,y}', 'q://search?x=a%20b&y=1024'],
  ['q://search?fixed=1{&x}', 'q://search?fixed=1&x=a%20b'],
  ['repo://{x}{/y,path}', 'repo://a%20b/1024/dir%2Ffile%20name.txt'],
  ['a{#path}', 'a#dir/file%20name.txt'],
  ['a{.x,y}', 'a.a%20b.1024'],
  ['a{;x,empty}', 'a;x=a%20b;empty'],
  ['a{?empty,missing}', 'a?empty='],
  ['a{?missing}', 'a'],
  ['a{missing}b', 'ab'],
  ['{y:2}{y*}', '101024'],
  ['{half}', '%EF%BF%BD%21'],
  ['{uni}', 'K%C3%B6ln'],
  ['{+reserved}', '%41%20100%25'],
  ['{constructor}', ''],
  ['{not closed', '{not closed'],
  ['{}{a b}{!x}', '{}{a b}{!x}'],
])('%s becomes %s', (template, expected) => {
  expect(expandTemplate(template, values)).toBe(expected);
});

test('its blanks are told once each, in order', () => {
  expect(templateVariables('a://{x}/{+y:3}{?x,z*}{!no}')).toEqual(['x', 'y', 'z']);
});

test('what is missing is told, unless it can be left out', () => {
  expect(missingVariables('a://{x}/{+y}{?z}', { x: '' })).toEqual(['y']);
});

test('no template and no value makes it throw, and values never end what they are put into', () => {
  const piece = fc.oneof(fc.constantFrom('{', '}', '{x}', '{+x}', '{?x,y}', '{/x}', ',', '%', ':'), fc.string());
  const template = fc.array(piece).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(template, fc.dictionary(fc.constantFrom('x', 'y'), anyText), (text, filled) => {
      expandTemplate(text, filled);
      templateVariables(text);
    }),
  );
  fc.assert(
    fc.property(anyText, (x) => {
      expect(expandTemplate('{x}', { x })).toMatch(/^(?:[\w.~-]|%[\dA-F]{2})*$/u);
    }),
  );
});

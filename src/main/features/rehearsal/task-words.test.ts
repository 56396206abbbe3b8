import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { namePartsOf, patternOf, taskWords, type WordLists } from './task-words.ts'

const survey = readFileSync(join(import.meta.dirname, '../../../../agents/survey.yaml'), 'utf8')
const { lists } = parse(survey).define as { readonly lists: WordLists }

const words = (task: string) =>
  taskWords(task, lists).map(({ text, kind }) => (kind === 'word' ? text : `${kind}: ${text}`))

describe('search words of a task', () => {
  test.each([
    [
      'Why does `parseDuration` drop days in src/time/duration.ts?',
      ['quoted: parseDuration', 'path: src/time/duration.ts'],
    ],
    ['the button says "No such user" twice', ['quoted: No such user']],
    [
      'rename max_turns to turnLimit in config.toml',
      ['path: config.toml', 'name: max_turns', 'name: turnLimit'],
    ],
    ['dark-mode flickers', ['name: dark-mode']],
    ['Der Knopf „Abbrechen“ tut nichts', ['quoted: Abbrechen']],
    ['see https://example.org/login/page for the checkout', []],
    ['call retry() after ECONNRESET', ['name: retry']],
  ])('%s', (task, expected) => {
    expect(words(task)).toEqual(expect.arrayContaining(expected))
    expect(words(task)[0]).toBe(expected[0] ?? words(task)[0])
    expect(words(task).join(' ')).not.toContain('example.org')
  })

  test('function words, greetings and requests are excluded, in several languages', () => {
    for (const task of [
      'Hello, can you please fix this for me?',
      'Kannst du das bitte reparieren? Danke',
      "S'il te plaît, peux-tu corriger ça ?",
      '¿Por favor, puedes arreglar esto?',
      '??? !!! 123',
      '',
    ])
      expect(
        taskWords(task, lists).filter(({ kind }) => kind !== 'word'),
        task,
      ).toEqual([])
    expect(words('Hello, can you please fix this for me?')).toEqual([])
    expect(words('')).toEqual([])
  })

  test('a request at the start is excluded, the same word later is included', () => {
    expect(words('Split the invoices')).toEqual(['invoices'])
    expect(words('The split is wrong')).toEqual(['split'])
  })

  test('languages without spaces are cut into words', () => {
    const found = words('ログイン画面が動かない')
    expect(found).toContain('ログイン')
    expect(found).toContain('画面')
  })

  test('common words are used only for tasks without others', () => {
    expect(words('the test fails')).toEqual(expect.arrayContaining(['test']))
    expect(words('the zebra test fails')).toEqual(['zebra'])
  })

  test('adjacent words are also searched as one name', () => {
    expect(taskWords('the payment gateway times out', lists)).toContainEqual({
      text: 'payment gateway',
      kind: 'pair',
    })
  })

  test('a task with a thousand words still makes a handful of searches', () => {
    const task = Array.from({ length: 1000 }, (_, index) => `word${index}x`).join(' ')
    expect(taskWords(task, lists).length).toBeLessThanOrEqual(6)
  })
})

describe('how a word is searched for', () => {
  const finds = (text: string, kind: 'quoted' | 'path' | 'name' | 'pair' | 'word', line: string) =>
    new RegExp(patternOf({ text, kind }), 'i').test(line)

  test('a name in the naming styles of several languages', () => {
    for (const line of ['darkMode', 'dark_mode', 'dark-mode', 'DARK_MODE', 'DarkMode'])
      expect(finds('dark-mode', 'name', line), line).toBe(true)
    expect(finds('dark-mode', 'name', 'dark or light mode')).toBe(false)
  })

  test('a word in its other forms', () => {
    expect(finds('durations', 'word', 'parseDuration')).toBe(true)
    expect(finds('parsing', 'word', 'function parse(')).toBe(true)
    expect(finds('classes', 'word', 'class A')).toBe(true)
    expect(finds('this', 'word', 'thi')).toBe(false)
  })

  test('quoted text literally, with pattern characters escaped', () => {
    expect(finds('a.b(c)[d]*', 'quoted', 'x a.b(c)[d]* y')).toBe(true)
    expect(finds('a.b', 'quoted', 'axb')).toBe(false)
  })
})

test('a name has parts, a word has none', () => {
  expect(namePartsOf({ text: 'splitEvenly', kind: 'name' }, lists).map(({ text }) => text)).toEqual([
    'split',
    'evenly',
  ])
  expect(namePartsOf({ text: 'splitEvenly', kind: 'word' }, lists)).toEqual([])
  expect(namePartsOf({ text: 'get_id', kind: 'name' }, lists)).toEqual([])
})

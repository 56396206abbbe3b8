import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sentence } from './result.ts'

describe('sentence', () => {
  test.each([
    ['it failed', 'it failed.'],
    ['it failed.', 'it failed.'],
    ['it failed. ', 'it failed.'],
    ['Why?', 'Why?'],
    ['and so on …', 'and so on …'],
    ['He said "no."', 'He said "no."'],
    ['in "a.ts"', 'in "a.ts".'],
    ['the folder (gone)', 'the folder (gone).'],
    ['cd ..', 'cd ..'],
    ['It says:', 'It says:'],
    ['', ''],
  ])('%j ends as %j', (text, ended) => {
    expect(sentence(text)).toBe(ended)
    expect(sentence(sentence(text))).toBe(ended)
  })
})

/** The program's own sources, by path. */
const sources = new Map(
  ['src/main', 'src/shared'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|testing\/|rehearsal\//.test(path))
      .map((path) => [join(folder, path), readFileSync(join(folder, path), 'utf8')] as const),
  ),
)
const found = (pattern: RegExp) =>
  [...sources].flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map((match) => `${path}: ${match[0].trim().slice(0, 120)}`),
  )

/** Files whose texts are printed by the command line. */
const PRINTED =
  /^src\/main\/(?:.*(?:command|cli|parse-|verbs)|features\/(?:run|editors)\/|.*\/(?:doctor|trust)\.ts)/

describe('texts', () => {
  test('that end with a text of another source end with one period', () => {
    expect(sources.size).toBeGreaterThan(500)
    // A message may have its period: `sentence` adds it only where it is missing. Zod's own messages have none.
    expect(
      found(
        /\$\{(?!sentence\()[^{}`]*(?:messageOf\([^{}`]*\)|(?<!issue\.)\b(?:message|because|reason))\}\.(?=[ '`"\\\n])/g,
      ),
    ).toEqual([])
    expect(found(/['`"][^'`"\n]*[a-z]\.\.(?=[ '`"])/g)).toEqual([])
  })

  test('that name a command to type have it in quotes', () => {
    // Behind a blank inside a text; comments, and lines that the command line prints, are no texts of a sentence.
    expect(
      found(
        /^(?! *(?:\*|\/\/)).*['`][^'`\n]*[a-z:,] troupe (?:agents|changes|conversations|doctor|hooks|mcp|permissions|plugins|programs|run|trust|worktrees) (?!…).*$/gm,
      ).filter((line) => !PRINTED.test(line)),
    ).toEqual([])
  })
})

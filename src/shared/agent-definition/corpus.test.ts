import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdits, plainDefinition } from './agent-definition.ts'
import { readDefinition } from './read-definition.ts'
import { bodyOf, setField } from './write-definition.ts'

const FOLDER = join(import.meta.dirname, '../../../test/fixtures/definitions')
const names = readdirSync(FOLDER)
const files = names.filter((name) => name.endsWith('.md') && name !== 'README.md')
const read = (file: string, text: string) =>
  readDefinition(text, { stem: file.replace(/\.md$/, ''), source: 'the project' })
const bytesOf = (name: string) => readFileSync(join(FOLDER, name))
/** Null if the bytes are not text. */
const textOf = (file: string): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(file))
  } catch {
    return null
  }
}
const expectationOf = (file: string) =>
  JSON.parse(bytesOf(file.replace(/\.md$/, '.expected.json')).toString()) as Record<string, unknown> & {
    readonly diagnostics: readonly Record<string, unknown>[]
  }
const texts = files.flatMap((file) => {
  const text = textOf(file)
  return text === null ? [] : [{ file, text }]
})

describe('definitions as users write them', () => {
  test('each file has an expectation, and each expectation has a file', () => {
    const expected = names.filter((name) => name.endsWith('.expected.json'))
    expect(expected.map((name) => name.replace('.expected.json', '.md')).sort()).toEqual([...files].sort())
    expect(files.length).toBeGreaterThan(100)
  })

  test('each expectation is complete: no field is left out', () => {
    const keys = [
      'agent',
      'offered',
      'recovered',
      'diagnostics',
      ...Object.keys(plainDefinition('', '')),
    ].sort()
    const locations = ['code', 'column', 'line', 'severity']
    expect(files.filter((file) => Object.keys(expectationOf(file)).sort().join() !== keys.join())).toEqual([])
    const hasPosition = (diagnostic: object) => Object.keys(diagnostic).sort().join() === locations.join()
    expect(files.filter((file) => !expectationOf(file).diagnostics.every(hasPosition))).toEqual([])
  })

  test('only the files expected to be binary are binary', () => {
    const isUnread = (file: string) => expectationOf(file).diagnostics.some(({ code }) => code === 'not-utf8')
    expect(files.filter((file) => textOf(file) === null)).toEqual(files.filter(isUnread))
    expect(files.filter(isUnread).length).toBeGreaterThan(0)
  })

  test.each(texts)('$file', ({ file, text }) => {
    const { definition, offered, recovered, diagnostics } = read(file, text)
    const expected = expectationOf(file)
    const { agent: _, offered: __, recovered: ___, diagnostics: ____, ...fields } = expected
    expect({
      agent: definition !== null,
      offered,
      ...(definition ?? Object.fromEntries(Object.keys(fields).map((key) => [key, null]))),
      recovered,
      diagnostics: diagnostics.map(({ code, severity, line, column }) => ({ code, severity, line, column })),
    }).toEqual(expected)
  })

  test.each(texts.filter(({ file, text }) => read(file, text).recovered.length > 0))(
    '$file has the same meaning after its fixes, and is valid then',
    ({ file, text }) => {
      const before = read(file, text)
      const fixed = applyEdits(
        text,
        before.diagnostics.find(({ fixes }) => fixes.length > 0)?.fixes[0]?.edits ?? [],
      )
      const after = read(file, fixed)
      expect(after.recovered).toEqual([])
      expect(after.definition).toEqual(before.definition)
    },
  )

  test.each(texts.filter(({ file, text }) => read(file, text).definition !== null))(
    '$file: changing the model leaves the body and all other fields unchanged',
    ({ file, text }) => {
      const changed = applyEdits(text, setField(text, 'model', 'claude-other-1'))
      expect(bodyOf(changed)).toBe(bodyOf(text))
      expect(read(file, changed).definition).toEqual({
        ...read(file, text).definition,
        model: 'claude-other-1',
      })
    },
  )
})

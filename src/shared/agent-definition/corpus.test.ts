import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdits } from './agent-definition.ts'
import { readDefinition } from './read-definition.ts'
import { bodyOf, setField } from './write-definition.ts'

const FOLDER = join(import.meta.dirname, '../../../test/fixtures/definitions')
const names = readdirSync(FOLDER)
const files = names.filter((name) => name.endsWith('.md') && name !== 'README.md')
const read = (file: string, text: string) =>
  readDefinition(text, { stem: file.replace(/\.md$/, ''), source: 'the project' })
const bytesOf = (name: string) => readFileSync(join(FOLDER, name))
/** Null where the bytes are no text. */
const textOf = (file: string): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesOf(file))
  } catch {
    return null
  }
}
const texts = files.flatMap((file) => {
  const text = textOf(file)
  return text === null ? [] : [{ file, text }]
})

describe('definitions as people write them', () => {
  test('each file has what is expected of it, and nothing is expected of a file that is not there', () => {
    const expected = names.filter((name) => name.endsWith('.expected.json'))
    expect(expected.map((name) => name.replace('.expected.json', '.md')).sort()).toEqual([...files].sort())
    expect(files.length).toBeGreaterThan(100)
  })

  test('only one is no text at all', () => {
    expect(files.filter((file) => textOf(file) === null)).toEqual(['not-utf8.md'])
  })

  test.each(texts)('$file', ({ file, text }) => {
    const { definition, offered, rescued, diagnostics } = read(file, text)
    const expected = JSON.parse(bytesOf(file.replace(/\.md$/, '.expected.json')).toString()) as object
    const {
      agent: _,
      offered: __,
      rescued: ___,
      diagnostics: ____,
      ...fields
    } = expected as Record<string, unknown>
    expect({
      agent: definition !== null,
      offered,
      ...(definition ?? Object.fromEntries(Object.keys(fields).map((key) => [key, null]))),
      rescued,
      diagnostics: diagnostics.map(({ code, severity, line, column }) => ({ code, severity, line, column })),
    }).toEqual(expected)
  })

  test.each(texts.filter(({ file, text }) => read(file, text).rescued.length > 0))(
    '$file says the same once it is mended, and is valid then',
    ({ file, text }) => {
      const before = read(file, text)
      const mended = applyEdits(
        text,
        before.diagnostics.find(({ mends }) => mends.length > 0)?.mends[0]?.edits ?? [],
      )
      const after = read(file, mended)
      expect(after.rescued).toEqual([])
      expect(after.definition).toEqual(before.definition)
    },
  )

  test.each(texts.filter(({ file, text }) => read(file, text).definition !== null))(
    '$file: another model leaves its body and all other fields as they are',
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

import { describe, expect, test } from 'vitest'
import { applyEdits } from './agent-definition.ts'
import { readDefinition } from './read-definition.ts'
import { missingFence } from './split-frontmatter.ts'

const closed = (text: string): string => {
  const fence = missingFence(text)
  return fence === null ? text : applyEdits(text, [fence.edit])
}

describe('the closing line of dashes', () => {
  test.each([
    ['a blank line and prose', 'name: a\ndescription: b\n', '\nLook around.\n'],
    ['prose at once', 'name: a\ndescription: b\n', 'Look around.\n'],
    ['a heading', 'name: a\ntools:\n  - Read\n  - Grep\n', '# How to\n\nLook: here.\n'],
    ['a heading after a blank line', 'name: a\n# why\nmodel: opus\n', '\n# How to\n'],
    ['unknown fields and a list at the margin', 'name: a\nx-team: ada\ntools:\n- Read\n', '\n- First.\n'],
    ['a text over lines', 'name: a\ndescription: |\n  One.\n  Two.\n', '\nDo it.\n'],
    ['a blank line between fields', 'name: a\n\nmodel: opus\n', '\nname it: well.\n'],
    ['nothing', 'name: a\ndescription: b\n', ''],
  ])('comes after the last field before %s', (_, fields, body) => {
    expect(closed(`---\n${fields}${body}`)).toBe(`---\n${fields}---\n${body}`)
    const windows = (text: string) => `\uFEFF\r\n${text.replaceAll('\n', '\r\n')}`
    expect(closed(windows(`---\n${fields}${body}`))).toBe(windows(`---\n${fields}---\n${body}`))
  })

  test('comes in a line of its own after a last line without an end', () => {
    expect(closed('---\nname: a')).toBe('---\nname: a\n---\n')
  })

  test('has no place without fields', () => {
    expect(missingFence('---\nLook around.\n')).toBeNull()
    expect(missingFence('name: a\n')).toBeNull()
  })
})

test('the reader offers it where the frontmatter has no end', () => {
  const text = '---\nname: a\ndescription: b\n\nLook around.\n'
  const [problem] = readDefinition(text, { stem: 's', source: 'x' }).diagnostics
  expect(problem).toMatchObject({
    code: 'open-frontmatter',
    line: 1,
    message: 'The frontmatter has no end. Add a line of three dashes after line 3.',
    fixes: [{ label: 'Add three dashes after line 3', isCertain: false, isShownFirst: true }],
  })
})

test('the reader offers it where a line of dashes in the body ends the frontmatter', () => {
  const text = '---\nname: a\ndescription: b\n\nLook around: everywhere.\n\nThen\n---\nReport.\n'
  const { diagnostics } = readDefinition(text, { stem: 's', source: 'x' })
  const fix = diagnostics
    .flatMap(({ fixes }) => fixes)
    .find(({ label }) => label === 'Add three dashes after line 3')
  const fixed = applyEdits(text, fix?.edits ?? [])
  expect(readDefinition(fixed, { stem: 's', source: 'x' })).toMatchObject({
    definition: { description: 'b', prompt: 'Look around: everywhere.\n\nThen\n---\nReport.' },
    diagnostics: [],
  })
})

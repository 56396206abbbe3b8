import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ListChange, withListItem } from './splice-json.ts'

const FILE = `{
\t"env": {"A":"1"},
\t"permissions": {
\t\t"deny": ["Bash(rm:*)",   "Read(a]b)"],
\t\t"allow": [
\t\t\t"Bash(npm test)",

\t\t\t"Edit(src/**)"
\t\t],
\t\t"ask": []
\t}
}
`
const change = (text: string, list: string, wanted: ListChange): string => {
  const changed = withListItem(text, ['permissions', list], wanted)
  if (!changed.ok) throw new Error(changed.failure.message)
  return changed.value
}

test('an appended item is written as those before it, and nothing else changes', () => {
  expect(change(FILE, 'allow', { kind: 'append', value: 'Bash(ls)' })).toBe(
    FILE.replace('"Edit(src/**)"\n', '"Edit(src/**)",\n\n\t\t\t"Bash(ls)"\n'),
  )
  expect(change(FILE, 'deny', { kind: 'append', value: 'Bash(su)' })).toBe(
    FILE.replace('"Read(a]b)"]', '"Read(a]b)", "Bash(su)"]'),
  )
  expect(change(FILE, 'ask', { kind: 'append', value: 'WebFetch' })).toBe(
    FILE.replace('"ask": []', '"ask": [\n\t\t\t"WebFetch"\n\t\t]'),
  )
})

test('an item is replaced and removed in its place', () => {
  expect(change(FILE, 'deny', { kind: 'set', index: 1, value: 'Read(c)' })).toBe(
    FILE.replace('Read(a]b)', 'Read(c)'),
  )
  expect(change(FILE, 'deny', { kind: 'remove', index: 0 })).toBe(FILE.replace('"Bash(rm:*)",   ', ''))
  expect(change(FILE, 'allow', { kind: 'remove', index: 1 })).toBe(
    FILE.replace(',\n\n\t\t\t"Edit(src/**)"', ''),
  )
  const single = '{"permissions": {"allow": [ "Bash" ]}}'
  expect(change(single, 'allow', { kind: 'remove', index: 0 })).toBe('{"permissions": {"allow": []}}')
})

test('a missing list is made, also in an empty file', () => {
  const value = { permissions: { ask: ['Bash'] } }
  expect(JSON.parse(change('', 'ask', { kind: 'append', value: 'Bash' }))).toEqual(value)
  expect(JSON.parse(change('\uFEFF{}', 'ask', { kind: 'append', value: 'Bash' }).slice(1))).toEqual(value)
})

test.each([
  ['{ "permissions": {', /not valid JSON/],
  ['// a comment\n{ oops }', /not valid JSON: line 2, column 3: this is not a JSON value/],
  ['[]', /It is not an object/],
  ['{"permissions": 7}', /"permissions" is not an object/],
  ['{"permissions": {"allow": "Bash"}}', /"permissions\.allow" is not a list/],
])('%j is refused', (text, message) => {
  const changed = withListItem(text, ['permissions', 'allow'], { kind: 'append', value: 'Bash' })
  expect(changed).toMatchObject({
    ok: false,
    failure: { type: 'json', message: expect.stringMatching(message) },
  })
})

test('an item that is not there is not changed', () => {
  for (const kind of ['set', 'remove'] as const)
    for (const list of ['ask', 'none'])
      expect(withListItem(FILE, ['permissions', list], { kind, index: 0, value: '' })).toMatchObject({
        failure: { type: 'no-item' },
      })
})

test('any list of any file is edited as its value would be', () => {
  const indents = fc.constantFrom(0, 2, 4, '\t')
  fc.assert(
    fc.property(
      fc.array(fc.json().map((text) => JSON.parse(text))),
      indents,
      fc.nat(6),
      (list, indent, index) => {
        const text = JSON.stringify({ x: [1], permissions: { allow: list, z: '}]' } }, null, indent)
        const after = (wanted: ListChange) => JSON.parse(change(text, 'allow', wanted)).permissions
        expect(after({ kind: 'append', value: 'new' })).toEqual({ allow: [...list, 'new'], z: '}]' })
        if (index >= list.length) return
        expect(after({ kind: 'set', index, value: 'new' })).toEqual({
          allow: list.with(index, 'new'),
          z: '}]',
        })
        expect(after({ kind: 'remove', index })).toEqual({ allow: list.toSpliced(index, 1), z: '}]' })
      },
    ),
  )
})

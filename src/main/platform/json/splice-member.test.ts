import { expect, test } from 'vitest'
import { type MemberChange, withMember } from './splice-json.ts'

const FILE = `{
    "other" : [1,   2, {"a": "}"}],
    "mcpServers": {
        "one": { "command": "npx", "args": ["-y"] },
        "two": {"url": "https://x"}
    },
    "last": 1.50
}
`
const change = (text: string, path: MemberChange['path'], value: unknown, before?: string) => {
  const changed = withMember(text, { path, value, before: before ?? null })
  if (!changed.ok) throw new Error(changed.failure.message)
  return changed.value
}

test('a new member is the only difference, in the indentation of the file', () => {
  const added = change(FILE, ['mcpServers', 'three'], { command: 'node', args: ['x'] })
  expect(added).toBe(
    FILE.replace(
      '{"url": "https://x"}\n',
      '{"url": "https://x"},\n        "three": {\n            "command": "node",\n            "args": [\n                "x"\n            ]\n        }\n',
    ),
  )
  expect(change(added, ['mcpServers', 'three'], undefined)).toBe(FILE)
})

test('a removed member that comes back to its place leaves the text as it was', () => {
  const text =
    '{\n  "mcpServers": {\n    "a": {\n      "command": "a"\n    },\n    "b": {\n      "command": "b"\n    }\n  }\n}\n'
  const without = change(text, ['mcpServers', 'a'], undefined)
  expect(without).not.toContain('"a"')
  expect(change(without, ['mcpServers', 'a'], { command: 'a' }, 'b')).toBe(text)
})

test('a value is replaced in its place', () => {
  expect(change(FILE, ['mcpServers', 'two'], { url: 'y' })).toBe(
    FILE.replace('{"url": "https://x"}', '{\n            "url": "y"\n        }'),
  )
})

test.each([
  ['', '{\n  "mcpServers": {\n    "a": 1\n  }\n}\n'],
  ['{}', '{\n  "mcpServers": {\n    "a": 1\n  }\n}'],
  ['{"x":1}', '{"x":1, "mcpServers": {"a":1}}'],
  ['{"mcpServers":{}}', '{"mcpServers":{\n  "a": 1\n}}'],
  ['{"mcpServers":{"b":2}}', '{"mcpServers":{"b":2, "a": 1}}'],
  ['\uFEFF{\r\n\t"x": 1\r\n}\r\n', '\uFEFF{\r\n\t"x": 1,\r\n\t"mcpServers": {\r\n\t\t"a": 1\r\n\t}\r\n}\r\n'],
])('missing objects are made: %j', (before, after) => {
  expect(change(before, ['mcpServers', 'a'], 1)).toBe(after)
})

test('the only member leaves an empty object', () => {
  expect(change('{"mcpServers": { "a": {"b": "{}"} }}', ['mcpServers', 'a'], undefined)).toBe(
    '{"mcpServers": {}}',
  )
})

test('a text that is no JSON object is refused', () => {
  const failed = (text: string) => {
    const changed = withMember(text, { path: ['mcpServers', 'a'], value: 1 })
    return changed.ok ? null : changed.failure.message
  }
  expect(failed('{ // comment\n')).toContain('It is not valid JSON: line 2, column 1: "}" is missing.')
  expect(failed('[]')).toBe('It is not an object.')
  expect(failed('{"mcpServers": []}')).toBe('"mcpServers" is not an object.')
})

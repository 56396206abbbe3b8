import { expect, test } from 'vitest'
import { jsonLines } from './json-lines.ts'

test('each value has the line it begins on', () => {
  const text = `{
\t"permissions": { "deny": [
    "Bash(rm:*)", "a \\" , ]",

    "Read(.env)"
  ], "x": [[1], {}, { "a": null }] },
  "model":
    "opus"
}`
  const lines = jsonLines(text)
  const at = (...path: (string | number)[]) => lines.get(JSON.stringify(path))
  expect(at()).toBe(1)
  expect(at('permissions')).toBe(2)
  expect(at('permissions', 'deny', 0)).toBe(3)
  expect(at('permissions', 'deny', 1)).toBe(3)
  expect(at('permissions', 'deny', 2)).toBe(5)
  expect(at('permissions', 'x', 0, 0)).toBe(6)
  expect(at('permissions', 'x', 2, 'a')).toBe(6)
  expect(at('model')).toBe(8)
})

import { expect, test } from 'vitest'
import { jsonPlaces } from './json-text.ts'

test('each value has the line and the column it begins at', () => {
  const text = `{
\t"permissions": { "deny": [
    "Bash(rm:*)", "a \\" , ]",

    "Read(.env)"
  ], "x": [[1], {}, { "a": null }] },
  "model":
    "opus"
}`
  const places = jsonPlaces(text)
  const at = (...path: (string | number)[]) => places.get(JSON.stringify(path))?.line
  expect(at()).toBe(1)
  expect(at('permissions')).toBe(2)
  expect(at('permissions', 'deny', 0)).toBe(3)
  expect(at('permissions', 'deny', 1)).toBe(3)
  expect(at('permissions', 'deny', 2)).toBe(5)
  expect(at('permissions', 'x', 0, 0)).toBe(6)
  expect(at('permissions', 'x', 2, 'a')).toBe(6)
  expect(at('model')).toBe(8)
  const columnOf = (...path: (string | number)[]) => places.get(JSON.stringify(path))?.column
  expect(columnOf('permissions')).toBe(17)
  expect(columnOf('permissions', 'deny', 0)).toBe(5)
  expect(columnOf('permissions', 'deny', 1)).toBe(19)
  expect(columnOf('model')).toBe(5)
})

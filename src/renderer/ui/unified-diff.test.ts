import { expect, test } from 'vitest'
import { parseUnifiedDiff } from './unified-diff.ts'

const patch = `--- a/x.ts
+++ b/x.ts
@@ -3,4 +3,5 @@ function pay() {
 const a = 1
-const key = make()
+const key = order.key
+const more = 2
 return a
 }
\\ No newline at end of file
@@ -20 +21 @@
-return charge(key)
+return charge(order, key)`

test('lines get their numbers in the old and the new file', () => {
  const lines = parseUnifiedDiff(patch)
  expect(lines.map((line) => [line.kind, line.before, line.after, line.text])).toEqual([
    ['hunk', 3, 3, 'function pay() {'],
    ['context', 3, 3, 'const a = 1'],
    ['removed', 4, null, 'const key = make()'],
    ['added', null, 4, 'const key = order.key'],
    ['added', null, 5, 'const more = 2'],
    ['context', 5, 6, 'return a'],
    ['context', 6, 7, '}'],
    ['hunk', 20, 21, ''],
    ['removed', 20, null, 'return charge(key)'],
    ['added', null, 21, 'return charge(order, key)'],
  ])
})

test('a changed line is marked where it differs', () => {
  const [, removed, added] = parseUnifiedDiff('@@ -1 +1 @@\n-return charge(key)\n+return charge(order, key)')
  expect(added?.text.slice(...(added.changed ?? []))).toBe('order, ')
  expect(removed?.changed).toEqual([14, 14])
})

test('lines that have nothing in common are not paired', () => {
  const lines = parseUnifiedDiff('@@ -1 +1 @@\n-    alpha()\n+    zeta.omega = 3')
  expect(lines.map((line) => line.changed)).toEqual([null, null, null])
})

test('a removed line that looks like a header stays a removed line', () => {
  const lines = parseUnifiedDiff('@@ -1,2 +1 @@\n--- comment\n x')
  expect(lines[1]).toMatchObject({ kind: 'removed', text: '-- comment' })
})

test('text that is no diff has no lines', () => {
  expect(parseUnifiedDiff('just\nwords')).toEqual([])
})

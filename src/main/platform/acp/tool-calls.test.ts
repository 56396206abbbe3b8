import { expect, test } from 'vitest'
import { callTitleOf, diffsOf, kindOf, locationsOf, outputBlock, pendingCall } from './tool-calls.ts'

test('each hunk of a patch is the text before and after it', () => {
  const patch = '@@ -1,2 +1,2 @@\n a\n-b\n+c\n@@ -9,1 +9,2 @@\n x\n+y\n\\ No newline at end of file\n'
  expect(diffsOf({ path: '/p/f', patch, created: false })).toEqual([
    { path: '/p/f', oldText: 'a\nb', newText: 'a\nc' },
    { path: '/p/f', oldText: 'x', newText: 'x\ny' },
  ])
})

test('a new file has no text before it', () => {
  const [diff] = diffsOf({
    path: '/p/f',
    patch: '@@ -0,0 +1,1 @@\n+a\n',
    created: true,
  })
  expect(diff).toEqual({ path: '/p/f', oldText: null, newText: 'a' })
})

test('output cannot end its own block', () => {
  expect(outputBlock('a\n````\nb')).toMatchObject({ content: { text: '`````\na\n````\nb\n`````' } })
})

test('the places of a call are the paths that it names, alone or in a list', () => {
  const input = { path: 'a', paths: ['/b', '', 7], file_path: 3 }
  expect(locationsOf(input, '/p')).toEqual([{ path: '/p/a' }, { path: '/b' }])
})

test('a title has its label once', () => {
  const row = { kind: 'edit', icon: 'file-edit', label: 'Edit' } as const
  expect(callTitleOf({ row, summary: 'a.txt' })).toBe('Edit a.txt')
  expect(callTitleOf({ row, summary: 'Edit a.txt' })).toBe('Edit a.txt')
  expect(callTitleOf({ row, summary: '' })).toBe('Edit')
})

test('a call of a program has the kind that the program told, and no name of Troupe as its title', () => {
  expect(['acp_delete', 'acp_switch_mode', 'acp_dance', 'Bash'].map(kindOf)).toEqual([
    'delete',
    'switch_mode',
    'other',
    'execute',
  ])
  expect(pendingCall('t', { name: 'acp_delete', input: {} }, '/p')).toMatchObject({
    title: 'Delete',
    kind: 'delete',
  })
})

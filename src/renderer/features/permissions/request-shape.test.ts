import { describe, expect, test } from 'vitest'
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { differingParts } from './request-group.tsx'
import { type RequestFacts, requestShape } from './request-shape.ts'

interface Given extends Partial<PermissionSubject>, Partial<Omit<RequestFacts, 'request'>> {
  readonly toolName?: string
  readonly because?: string
  readonly alwaysRule?: string | null
  readonly choices?: RequestFacts['request']['choices']
}

const shapeOf = (given: Given) => {
  const { kind = 'command', action = 'run a command', text = 'npm test', folder = '/work/shop' } = given
  const { toolName = 'Bash', because = 'npm can change files or run code.', alwaysRule = 'Bash(x)' } = given
  const { isInWorktree = false, place = null } = given
  const subject = { kind, action, text, folder, ...(given.parts && { parts: given.parts }) }
  const { choices } = given
  return requestShape({ request: { toolName, subject, because, alwaysRule, choices }, isInWorktree, place })
}
const areAlike = (one: Given, other: Given) => shapeOf(one) !== null && shapeOf(one) === shapeOf(other)
const commandsAlike = (one: string, other: string) => areAlike({ text: one }, { text: other })

describe('commands are similar', () => {
  test.each([
    ['npm test', 'npm test'],
    ['npx vitest run test/payments/capture.test.ts', 'npx vitest run test/payments/charge.test.ts'],
    ['npx eslint --fix cart.ts', 'npx eslint --fix order.ts'],
    ['gh pr view 12', 'gh pr view 347'],
    ['cp src/a/x.ts src/b/x.ts', 'cp src/c/y.ts src/d/y.ts'],
    ['npm test -- a.test.ts 2>&1 | tail', 'npm test -- b.test.ts 2>&1 | tail'],
  ])('%s and %s', (one, other) => {
    expect(commandsAlike(one, other)).toBe(true)
  })
})

describe('commands are not similar', () => {
  test.each([
    ['another subcommand', 'npm run build', 'npm run deploy'],
    ['another program', 'scripts/build.sh', 'scripts/erase.sh'],
    ['another program after the first', 'npm test && scripts/a.sh', 'npm test && scripts/b.sh'],
    ['an option', 'git push origin main', 'git push --force main'],
    ['one word more', 'rm a.ts', 'rm a.ts b.ts'],
    ['a folder above', 'cat src/a.ts', 'cat ../a.ts'],
    ['a hidden file', 'cat src/a.json', 'cat src/.a.json'],
    ['another top folder', 'cat src/a.ts', 'cat etc/a.ts'],
    ['another depth', 'cat src/a.ts', 'cat src/b/a.ts'],
    ['an absolute path', 'cat src/a.ts', 'cat /src/a.ts'],
    ['another kind of file', 'node build/a.mjs', 'node build/a.sh'],
    ['a pattern', 'rm src/a.ts', 'rm src/*.ts'],
    ['a variable', 'rm src/a.ts', 'rm $HOME/a.ts'],
    ['a letter that looks like another', 'cat src/a.ts', 'cat src/а.ts'],
    ['another operator', 'npm test ; ls a.ts', 'npm test & ls a.ts'],
  ])('%s', (_what, one, other) => {
    expect(shapeOf({ text: one })).not.toBeNull()
    expect(commandsAlike(one, other)).toBe(false)
  })
})

test.each([
  ['the tool', { toolName: 'PowerShell' }],
  ['the reason', { because: 'git push publishes commits, so it always needs permission.' }],
  ['whether a rule can be saved', { alwaysRule: null }],
  ['the kind of folder', { isInWorktree: true }],
  ['the machine', { place: 'on build-7' }],
  ['the action', { action: 'read a file that may contain a secret' }],
])('requests that differ in %s are not similar', (_what, other) => {
  expect(areAlike({}, other)).toBe(false)
})

test('the folder of an agent may differ, and a file in the reason', () => {
  expect(areAlike({ folder: '/trees/a' }, { folder: '/trees/b' })).toBe(true)
  expect(
    areAlike({ because: '/a/x.ts is outside the folder.' }, { because: '/a/y.ts is outside the folder.' }),
  ).toBe(true)
})

test.each([
  ['a bidi character', 'cat src/\u202ea.ts'],
  ['a zero-width character', 'cat src/a\u200b.ts'],
  ['a control character', 'cat src/a.ts \u001b[2K'],
  ['a tag character', 'cat src/a\u{e0061}.ts'],
  ['a name that the runtime wrote out', 'cat src/⟨RLO⟩a.ts'],
])('a request with %s is asked alone', (_what, text) => {
  expect(shapeOf({ text })).toBeNull()
  expect(shapeOf({ folder: `/work/${text}` })).toBeNull()
})

test('an edit of the folder itself is asked alone; edits in worktrees of their own are similar', () => {
  const edit = (file: string) =>
    ({ kind: 'diff', action: `write ${file}`, text: '@@ -1 +1 @@\n-a\n+b' }) as const
  expect(shapeOf(edit('a.ts'))).toBeNull()
  const inWorktree = { isInWorktree: true }
  expect(areAlike({ ...edit('a.ts'), ...inWorktree }, { ...edit('docs/b.md'), ...inWorktree })).toBe(true)
  expect(shapeOf({ ...edit('a.ts'), ...inWorktree, alwaysRule: null })).toBeNull()
})

test('what may do harm is asked alone', () => {
  const danger = { kind: 'other', consequence: 'Overwrites a disk.' } as const
  expect(shapeOf({ parts: [{ text: 'npm test', step: 1 }] })).not.toBeNull()
  expect(shapeOf({ parts: [{ text: 'npm test', step: 1, danger }] })).toBeNull()
})

test('pages of one host are similar, apart from queries', () => {
  const page = (text: string): Given => ({ kind: 'url', action: 'fetch a web page', text })
  expect(areAlike(page('https://docs.example.com/api/a'), page('https://docs.example.com/api/b'))).toBe(true)
  expect(areAlike(page('https://docs.example.com/api/a'), page('https://docs.example.org/api/a'))).toBe(false)
  expect(areAlike(page('https://x.dev/api/a?k=1'), page('https://x.dev/api/a?k=2'))).toBe(false)
  expect(areAlike(page('https://x.dev:81/api/a'), page('https://x.dev/api/a'))).toBe(false)
})

test('what differs is marked: the names in paths that not all texts share', () => {
  const parts = differingParts(['npx vitest run test/a.ts --x', 'npx vitest run test/b.ts --x'])
  expect(parts[1]).toEqual([
    { text: 'npx vitest run test/', differs: false },
    { text: 'b.ts', differs: true },
    { text: ' --x', differs: false },
  ])
  expect(differingParts(['npm test', 'npm test'])[0]).toEqual([{ text: 'npm test', differs: false }])
  expect(differingParts(['a b', 'a'])).toEqual([
    [{ text: 'a b', differs: true }],
    [{ text: 'a', differs: true }],
  ])
})

test('requests with other answers of their external agents are not similar', () => {
  const choices = [{ id: 'a', name: 'This session', kind: 'always' as const }]
  expect(areAlike({ choices }, { choices })).toBe(true)
  expect(areAlike({ choices }, {})).toBe(false)
})

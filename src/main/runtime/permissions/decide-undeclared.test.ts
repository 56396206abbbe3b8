import { expect, test } from 'vitest'
import type { PossibleTarget } from '../ports/tool.ts'
import { decidePermission } from './decide-permission.ts'
import type { AskDecision } from './permission-concern.ts'
import { look } from './testing/judge.ts'

const judge = (tool: string, more: Partial<AskDecision> = {}) =>
  decidePermission({
    tool,
    target: { kind: 'undeclared', action: 'use it', text: 'x', onlyReads: false },
    mode: 'default',
    agent: { readOnly: false, root: '/repo' },
    rules: [],
    trusted: true,
    bypassAllowed: false,
    dataFolder: null,
    realPath: async (path: string) => ({ ok: true, value: path }) as const,
    look,
    ...more,
  })

test('a rule for a server covers that server alone', async () => {
  const rules = ['mcp__good']
  expect(await judge('mcp__good__read', { rules })).toMatchObject({ kind: 'allow' })
  for (const tool of ['mcp__GOOD__read', 'mcp__goodness__read', 'mcp__good-evil__read'])
    expect(await judge(tool, { rules })).toMatchObject({ kind: 'ask' })
})

test('a rule that denies covers a server in every spelling', async () => {
  expect(await judge('mcp__GOOD__read', { denied: ['mcp__good'] })).toMatchObject({ kind: 'deny' })
})

test('a call of an unknown kind is asked about each time, and no rule covers it', async () => {
  const rules = ['acp_tool']
  expect(await judge('acp_tool', { rules })).toMatchObject({ kind: 'ask', alwaysRule: null, offers: [] })
  expect(await judge('acp_tool', { rules, mode: 'dontAsk' })).toMatchObject({ kind: 'deny' })
})

const unknown = (mayBe: readonly PossibleTarget[]): Partial<AskDecision> => ({
  target: { kind: 'undeclared', action: 'run a command', text: 'x', onlyReads: false, mayBe },
})

test.each<readonly [string, PossibleTarget]>([
  ['Bash(rm:*)', { kind: 'command', command: 'cd src && rm -rf build' }],
  ['Bash(rm:*)', { kind: 'command', command: "bash -c 'rm -rf build'" }],
  ['Read(secrets/**)', { kind: 'command', command: 'cat secrets/key' }],
  ['Edit(locked/**)', { kind: 'write', path: '/repo/locked/a' }],
  ['Read(secrets/**)', { kind: 'read', path: '/repo/secrets/key' }],
])('the rule %s denies a call of an unknown kind that may be what it denies', async (rule, possible) => {
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
    const asked = { ...unknown([possible]), mode, bypassAllowed: true }
    expect(await judge('acp_tool', asked)).toMatchObject({
      kind: mode === 'bypassPermissions' ? 'allow' : 'ask',
    })
    expect(await judge('acp_tool', { ...asked, denied: [rule] })).toMatchObject({ kind: 'deny' })
    expect(await judge('acp_tool', { ...asked, asked: [rule] })).toMatchObject({ kind: 'ask' })
  }
})

test('a call of an unknown kind is asked about where rules deny or ask, also in bypassPermissions', async () => {
  const bypass = { ...unknown([]), mode: 'bypassPermissions', bypassAllowed: true } as const
  expect(await judge('acp_tool', bypass)).toMatchObject({ kind: 'allow' })
  for (const given of [{ denied: ['Bash(rm:*)'] }, { asked: ['Edit(locked/**)'] }])
    expect(await judge('acp_tool', { ...bypass, ...given })).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
      offers: [],
    })
})

test('a rule that denies counts for a server with the name that its owner gave it', async () => {
  for (const denied of ['mcp__good__evil', 'MCP__good__evil', 'mcp__good_evil', 'mcp__good__evil__*'])
    expect(await judge('mcp__good_evil-a1b2c3__read', { denied: [denied] })).toMatchObject({ kind: 'deny' })
  const rules = ['mcp__good__evil', 'mcp__good_evil', 'mcp__good']
  expect(await judge('mcp__good_evil-a1b2c3__read', { rules })).toMatchObject({ kind: 'ask' })
  expect(await judge('mcp__good_evil__read', { denied: ['mcp__good'] })).toMatchObject({ kind: 'ask' })
})

const resource: Partial<AskDecision> = {
  target: {
    kind: 'undeclared',
    action: 'read it',
    text: 'x',
    onlyReads: true,
    ruleName: 'mcp__docs__ReadMcpResource',
  },
}

test('a rule that denies a server denies its resources', async () => {
  for (const mode of ['default', 'bypassPermissions'] as const)
    for (const denied of ['mcp__docs', 'mcp__DOCS__*', 'mcp__docs__ReadMcpResource', 'ReadMcpResource'])
      expect(
        await judge('ReadMcpResource', { ...resource, mode, bypassAllowed: true, denied: [denied] }),
      ).toMatchObject({ kind: 'deny' })
  expect(await judge('ReadMcpResource', { ...resource, denied: ['mcp__doc'] })).toMatchObject({ kind: 'ask' })
})

test('a rule for a server or for its resources allows them without a user, and a denial names the rule', async () => {
  const unattended = { ...resource, mode: 'dontAsk' } as const
  for (const rule of ['mcp__docs', 'mcp__docs__*', 'mcp__docs__ReadMcpResource', 'ReadMcpResource'])
    expect(await judge('ReadMcpResource', { ...unattended, rules: [rule] })).toMatchObject({ kind: 'allow' })
  for (const rule of ['mcp__doc', 'mcp__docs__search', 'mcp__DOCS'])
    expect(await judge('ReadMcpResource', { ...unattended, rules: [rule] })).toMatchObject({
      kind: 'deny',
      because: expect.stringContaining('The rule mcp__docs__ReadMcpResource would allow this'),
    })
  expect(await judge('ReadMcpResource', resource)).toMatchObject({
    kind: 'ask',
    alwaysRule: 'mcp__docs__ReadMcpResource',
  })
})

import { expect, test } from 'vitest'
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

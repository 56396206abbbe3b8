import { describe, expect, it } from 'vitest'
import { judgeAlwaysAsk as judge } from './testing/judge.ts'

describe('a call that always needs permission', () => {
  it.each(['default', 'acceptEdits', 'bypassPermissions'] as const)('asks in %s', async (mode) => {
    expect(await judge({ mode, rules: ['MergeWorktree', 'MergeWorktree(fixer)'] })).toEqual({
      kind: 'ask',
      subject: {
        kind: 'other',
        action: 'merge a branch',
        text: 'troupe/fixer-a into main\n2 commits',
        folder: '/repo',
      },
      because: 'It changes a branch of yours.',
      alwaysRule: null,
      remedy: 'The user can merge it: troupe worktrees merge fixer-a',
    })
  })

  it.each(['plan', 'dontAsk'] as const)('is denied in %s, which never asks', async (mode) => {
    expect(await judge({ mode, rules: ['MergeWorktree'] })).toMatchObject({
      kind: 'deny',
      because: expect.stringContaining('troupe worktrees merge fixer-a'),
    })
  })

  it('is denied to read-only agents and in untrusted folders', async () => {
    expect(await judge({ agent: { readOnly: true } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ trusted: false })).toMatchObject({ kind: 'deny' })
  })

  it('obeys the definition', async () => {
    expect(await judge({ agent: { denied: ['MergeWorktree'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { denied: ['MergeWorktree(fixer)'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { denied: ['MergeWorktree(other)'] } })).toMatchObject({ kind: 'ask' })
    expect(await judge({ agent: { only: ['MergeWorktree(other)'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { only: ['MergeWorktree(fix*)'] } })).toMatchObject({ kind: 'ask' })
  })

  it('makes hidden characters visible', async () => {
    const decision = await judge({}, 'main\u202e\nmore')
    expect(decision).toMatchObject({ kind: 'ask', subject: { text: expect.not.stringContaining('\u202e') } })
  })
})

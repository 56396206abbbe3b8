import { describe, expect, it } from 'vitest'
import { judgeAlwaysAsk as judge } from './testing/judge.ts'

describe('a call that is always asked about', () => {
  it.each(['default', 'acceptEdits', 'bypassPermissions'] as const)('is asked about in %s', async (mode) => {
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
    })
  })

  it.each(['plan', 'dontAsk'] as const)('is denied in %s, where nobody is asked', async (mode) => {
    expect(await judge({ mode, rules: ['MergeWorktree'] })).toMatchObject({ kind: 'deny' })
  })

  it('is denied where the agent only reads, and where the folder is not trusted', async () => {
    expect(await judge({ agent: { readOnly: true } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ trusted: false })).toMatchObject({ kind: 'deny' })
  })

  it('is held against the definition', async () => {
    expect(await judge({ agent: { denied: ['MergeWorktree'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { denied: ['MergeWorktree(fixer)'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { denied: ['MergeWorktree(other)'] } })).toMatchObject({ kind: 'ask' })
    expect(await judge({ agent: { only: ['MergeWorktree(other)'] } })).toMatchObject({ kind: 'deny' })
    expect(await judge({ agent: { only: ['MergeWorktree(fix*)'] } })).toMatchObject({ kind: 'ask' })
  })

  it('shows what it says with nothing hidden in it', async () => {
    const decision = await judge({}, 'main\u202e\nmore')
    expect(decision).toMatchObject({ kind: 'ask', subject: { text: expect.not.stringContaining('\u202e') } })
  })
})

import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ToolContext } from '../ports/tool.ts'
import { createMergeWorktreeTool, type MergeWorktreeDeps } from './merge-worktree.ts'
import { parseInput } from './parse-input.ts'

const context = {} as ToolContext

function toolWith(more: Partial<MergeWorktreeDeps> = {}) {
  const merged: string[] = []
  const tool = createMergeWorktreeTool({
    previewMerge: async ({ agent_id }) => ok({ text: `${agent_id} into main`, worktreeId: 'fixer-a1' }),
    mergeWork: async ({ agent_id, method }) => {
      merged.push(`${agent_id} ${method}`)
      return { isError: false, content: 'Merged.', note: '2 commits' }
    },
    ...more,
  })
  const read = (raw: unknown) => {
    const parsed = parseInput(tool, raw)
    if (!parsed.ok) throw new Error(parsed.failure.message)
    return parsed.value.input
  }
  return { tool, merged, read }
}

describe('MergeWorktree', () => {
  it('always needs permission, and the request shows the merge', async () => {
    const { tool, merged, read } = toolWith()
    const call = read({ agent_id: 'fixer' })
    expect(await tool.target?.(call, context)).toEqual({
      kind: 'always-ask',
      subject: 'fixer',
      action: 'merge a branch',
      text: 'fixer into main',
      because: 'A merge changes your branch, so Troupe always asks.',
      remedy: 'The user can merge it: "troupe worktrees merge fixer-a1".',
    })
    expect(merged).toEqual([])
    expect(await tool.run(call, context)).toMatchObject({ content: 'Merged.' })
    expect(merged).toEqual(['fixer merge'])
  })

  it('refuses an impossible merge without asking', async () => {
    const { tool, merged, read } = toolWith({
      previewMerge: async () => fail({ type: 'nothing', message: 'There is nothing to merge.' }),
    })
    const call = read({ agent_id: 'fixer', method: 'squash' })
    expect(await tool.target?.(call, context)).toEqual({ kind: 'none', subject: 'fixer' })
    expect(await tool.run(call, context)).toMatchObject({
      isError: true,
      content: 'There is nothing to merge.',
    })
    expect(merged).toEqual([])
  })

  it('accepts an agent and one of three methods only', () => {
    const { tool } = toolWith()
    const takes = (raw: unknown) => parseInput(tool, raw).ok
    expect(takes({ agent_id: 'a', method: 'rebase' })).toBe(true)
    for (const raw of [
      {},
      { agent_id: '' },
      { agent_id: 'a', method: 'octopus' },
      { agent_id: 'a', into: 'x' },
    ])
      expect(takes(raw), JSON.stringify(raw)).toBe(false)
  })
})

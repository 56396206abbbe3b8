/** What fills an agent's context window, counted from its requests. */
import { expect, test } from 'vitest'
import {
  type ContextGroup,
  type ContextReport,
  contextAdvice,
  contextText,
} from '../../shared/state/context-report.ts'
import { buildSystemPrompt } from './definitions/system-prompt.ts'
import { systemPromptParts } from './definitions/system-prompt-parts.ts'
import type { AgentMemory, InstructionFile } from './ports/definitions.ts'
import type { ModelRequest } from './ports/model.ts'
import type { AnyTool } from './ports/tool.ts'
import { contextReport } from './run/context-parts.ts'
import { addedTool } from './testing/added-tool.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { noMemory } from './testing/plain-ports.ts'
import { agentCall, childrenOf, script, turnOf } from './testing/scripts.ts'
import { createTestRuntime, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const file = (path: string, text: string, scope: InstructionFile['scope'] = 'project'): InstructionFile => {
  return { path, text, scope, importedBy: null, bytes: text.length }
}
const memory: AgentMemory = {
  files: [
    file(
      '/home/me/.claude/CLAUDE.md',
      'Speak plainly.\n\n# Permissions\nof this house\n\n# Skill no skill',
      'user',
    ),
    file('/project/CLAUDE.md', 'x'.repeat(8000)),
    file('/home/me/memory/MEMORY.md', 'Tests need Redis.', 'agent'),
  ],
  folder: '/home/me/memory',
  problems: [],
}

const mcpTool = (name: string, more: Partial<AnyTool> = {}) =>
  addedTool(name, {
    description: 'd'.repeat(4000),
    run: async () => ({ isError: false, content: 'r'.repeat(6000), note: '' }),
    ...more,
  })

function troupeWith(options: TestOptions) {
  const troupe = createTestRuntime({
    memory: { ...noMemory, load: async () => memory },
    skills: () => [{ ...skill('deploy'), body: 'Deploy it.' }],
    ...options,
  })
  troupe.runtime.tools.add('mcp:small', [mcpTool('mcp__small__read')])
  troupe.runtime.tools.add('mcp:big', [
    mcpTool('mcp__big__one', { deferred: true }),
    mcpTool('mcp__big__two', { deferred: true }),
  ])
  return troupe
}
const skill = (name: string) =>
  ({
    name,
    description: `Use it to ${name}.`,
    folder: `/skills/${name}`,
    source: 'project',
    file: `/skills/${name}/SKILL.md`,
  }) as const

async function reportOf(troupe: ReturnType<typeof troupeWith>, id: string, agentId?: string) {
  const { record } = await troupe.store.read(id).then((read) => {
    if (!read.ok) throw new Error(read.failure.message)
    return { record: read.value }
  })
  const report = await troupe.runtime.dispatch({
    type: 'agent.context',
    conversationId: id,
    agentId: agentId ?? record.mainAgentId,
  })
  if (!report.ok) throw new Error(report.failure.message)
  return report.value
}
const group = ({ groups }: ContextReport, kind: ContextGroup['kind'], server: string | null = null) =>
  groups.find((one) => one.kind === kind && one.server === server)
const labels = (one: ContextGroup | undefined) => one?.items.map(({ label }) => label)

/** Characters of the request as the loop made it. */
const sizeOf = ({ system, tools, messages }: ModelRequest): number =>
  system.length +
  tools.reduce(
    (sum, tool) =>
      sum + tool.name.length + tool.description.length + JSON.stringify(tool.input_schema).length,
    0,
  ) +
  messages
    .flatMap(({ content }): readonly Block[] => content)
    .reduce((sum, block) => sum + lengthOf(block), 0)
type Block = ModelRequest['messages'][number]['content'][number]
const lengthOf = (block: Block): number => {
  if (block.type === 'text') return block.text.length
  if (block.type === 'tool_use') return block.name.length + JSON.stringify(block.input).length
  return block.type === 'tool_result' && typeof block.content === 'string' ? block.content.length : 0
}

test('every part of the request is counted once, scaled to what the API counted', async () => {
  const troupe = troupeWith({
    script: (request) =>
      turnOf(request) === 1
        ? {
            text: 'I look.',
            calls: [
              ['mcp__small__read', {}],
              ['mcp__small__read', { id: 'x' }],
              ['ToolSearch', { query: 'mcp__big__one' }],
            ],
          }
        : { text: 'Done.', usage: { input: 1000, cacheRead: 20_000, cacheWrite: 500, output: 500 } },
  })
  const id = await troupe.begin('Look at it')
  await troupe.runtime.settled(id)
  const report = await reportOf(troupe, id)

  expect(report).toMatchObject({ basis: 'usage', window: 200_000 })
  expect(Math.abs(report.used - 22_000)).toBeLessThan(20)
  const sent = troupe.model.requests[1]
  if (!sent) throw new Error('no request')
  // The same request, without the API's count: all characters of the request, and no others.
  const unscaled = contextReport({
    state: { id: 'a', model: 'm', context: { prefix: 0, used: null, window: null } },
    system: sent.system,
    tools: sent.tools,
    messages: sent.messages,
    instructions: memory.files,
    window: null,
  })
  expect(unscaled.basis).toBe('length')
  expect(Math.abs(unscaled.used - sizeOf(sent) / 4)).toBeLessThan(30)

  expect(labels(group(report, 'system'))?.sort()).toEqual([
    'Definition',
    'Environment',
    'Notices',
    'Permissions',
  ])
  expect(labels(group(report, 'instructions'))).toEqual(['/project/CLAUDE.md', '/home/me/.claude/CLAUDE.md'])
  expect(labels(group(report, 'memory'))).toEqual(['/home/me/memory/MEMORY.md'])
  expect(labels(group(report, 'skills'))).toEqual(['deploy'])
  expect(labels(group(report, 'agents'))).toContain('general-purpose')
  expect(labels(group(report, 'tools'))).toContain('Bash')
  expect(group(report, 'tools', 'small')).toMatchObject({ label: 'Tools of small', deferred: 0 })
  expect(group(report, 'tools', 'big')).toMatchObject({ deferred: 1, items: [{ label: 'mcp__big__one' }] })
  expect(group(report, 'results')?.items).toMatchObject([
    { label: 'mcp__small__read', count: 2 },
    { label: 'ToolSearch', count: 1 },
  ])
  expect(labels(group(report, 'user'))).toEqual(['Messages'])
  expect(labels(group(report, 'agent'))?.sort()).toEqual(['Text', 'Tool calls'])
  expect(report.groups.map(({ tokens }) => tokens).every((tokens) => tokens > 0)).toBe(true)
})

test('deferred tools take no room before a search found them', async () => {
  const troupe = troupeWith({ script: () => ({ text: 'Done.' }) })
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  expect(group(await reportOf(troupe, id), 'tools', 'big')).toMatchObject({
    tokens: 0,
    items: [],
    deferred: 2,
  })
})

test('an agent of a conversation that is not open is counted from its transcript, with the same figures', async () => {
  const store = createMemoryStore()
  const troupe = troupeWith({
    store,
    script: script([{ calls: [agentCall('a search')] }, { text: 'Done.' }], () => ({ text: 'Found it.' })),
    definitions: testDefinitions,
  })
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  const child = childrenOf(troupe)[0]?.agentId
  const [main, sub] = [await reportOf(troupe, id), await reportOf(troupe, id, child)]
  expect(labels(group(sub, 'system'))).toContain('Report')
  await troupe.runtime.close()
  const later = troupeWith({ store, script: () => ({ text: 'no' }) })
  expect(await reportOf(later, id)).toEqual(main)
  expect(await reportOf(later, id, child)).toEqual(sub)
  expect(
    await later.runtime.dispatch({ type: 'agent.context', conversationId: 'other', agentId: main.agentId }),
  ).toMatchObject({ failure: { type: 'not-found' } })
  expect(
    (await later.runtime.dispatch({ type: 'agent.context', conversationId: id, agentId: 'nobody' })).ok,
  ).toBe(false)
  expect(later.model.requests).toHaveLength(0)
})

test('after a compaction the summary is a part of its own, and all is estimated until the next answer', async () => {
  const troupe = troupeWith({
    contextTokens: 10_000,
    script: (request) => {
      const asked = JSON.stringify(request.messages.at(-1)).includes('Write a summary')
      if (asked) return { text: 'S'.repeat(400), usage: { input: 9500 } }
      if (JSON.stringify(request.messages).includes('was summarized')) return { failure: { type: 'auth' } }
      return { calls: [['mcp__small__read', {}]], usage: { input: 9500 } }
    },
  })
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  const report = await reportOf(troupe, id)
  expect(report.basis).toBe('length')
  expect(group(report, 'user')?.items).toContainEqual({ label: 'Summary', tokens: 100 })
  expect(group(report, 'results')).toBeUndefined()
})

test('the parts of a system prompt add up to it, whatever its instructions say', () => {
  const prompt = (more: Partial<Parameters<typeof buildSystemPrompt>[0]> = {}) =>
    buildSystemPrompt({
      definition: { prompt: 'You look.\n\n# Permissions\nAsk.', readOnly: false },
      skills: ['deploy', 'test'].map((name) => ({
        ...skill(name),
        body: `Do ${name}.\n\n# Skill of mine\nNo.`,
      })),
      facts: { isRepository: true, gitBranch: 'main', platform: 'linux', shell: 'bash' },
      memory,
      toolNames: ['Read'],
      cwd: '/project',
      date: '2026-02-03',
      permissions: '# Permissions\nMode: default.',
      gitState: null,
      model: 'm',
      maxTurns: 3,
      ...more,
    } as Parameters<typeof buildSystemPrompt>[0])
  const parts = systemPromptParts(prompt(), memory.files)
  expect(parts.map(({ label }) => label)).toEqual([
    'Definition',
    'Environment',
    'Report',
    'Permissions',
    'Notices',
    '/home/me/.claude/CLAUDE.md',
    '/project/CLAUDE.md',
    '/home/me/memory/MEMORY.md',
    'deploy',
    'test',
  ])
  for (const system of [
    prompt(),
    prompt({ maxTurns: null }),
    prompt({ definition: { prompt: '', readOnly: false } }),
    '',
    'x',
  ])
    for (const files of [memory.files, []])
      expect(systemPromptParts(system, files).reduce((sum, { length }) => sum + length, 0)).toBe(
        system.length,
      )
  expect(parts.find(({ label }) => label === '/project/CLAUDE.md')?.length).toBeGreaterThan(8000)
})

test('the text lists the parts, says what is estimated and what to do', () => {
  const report: ContextReport = {
    agentId: 'a',
    model: 'm',
    window: 200_000,
    used: 96_000,
    basis: 'usage',
    groups: [
      {
        kind: 'instructions',
        server: null,
        label: 'Instructions',
        tokens: 9000,
        items: [{ label: '/project/CLAUDE.md', tokens: 9000 }],
        deferred: 0,
      },
      {
        kind: 'tools',
        server: 'big',
        label: 'Tools of big',
        tokens: 12_000,
        items: [{ label: 'mcp__big__one', tokens: 12_000 }],
        deferred: 3,
      },
      {
        kind: 'results',
        server: null,
        label: 'Tool results',
        tokens: 75_000,
        items: [{ label: 'Read', tokens: 75_000, count: 4, largest: 30_000 }],
        deferred: 0,
      },
    ],
  }
  const text = contextText(report, 'main')
  expect(text).toContain('Context of main: about 96k of 200k tokens (48%)')
  expect(text).toMatch(/^Tools of big\s+12k {2}3 more with ToolSearch$/m)
  expect(text).toMatch(/^ {2}Read \(4\)\s+75k$/m)
  expect(text).toMatch(/^Free\s+104k$/m)
  expect(text).toContain('Compaction begins at 160k tokens.')
  const advice = contextAdvice(report)
  expect(advice.map((line) => line.split(' take')[0])).toEqual([
    'Tool results',
    'One result of Read',
    'The tools of big',
    '/project/CLAUDE.md',
  ])
  expect(contextAdvice({ ...report, window: 2_000_000 }).map((line) => line.split(' take')[0])).toEqual([
    'The tools of big',
    '/project/CLAUDE.md',
  ])
  expect(contextAdvice({ ...report, groups: [] })).toEqual([])
  expect(contextText({ ...report, basis: 'length', window: null }, 'main')).toContain('is unknown')
})

import { expect, test } from 'vitest'
import { effectiveTools } from '../../shared/agent-definition/effective-tools.ts'
import type { EventOf } from '../../shared/events/agent-event.ts'
import type { LoadedDefinition } from './ports/definitions.ts'
import type { AnyTool } from './ports/tool.ts'
import { createMemoryRules } from './testing/memory-rules.ts'
import { lastWords } from './testing/scripted-model.ts'
import { createTestRuntime, FOLDER, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const general = testDefinitions.find(({ name }) => name === 'general-purpose') as LoadedDefinition
const skill = {
  name: 'commit',
  description: 'Commits.',
  source: 'user',
  file: '/s',
  body: '',
  folder: '/s',
} as const

/** The tools that the editor shows for the agent, and those of its first request. */
async function bothFor(more: Partial<LoadedDefinition>, options: Partial<TestOptions> = {}) {
  const agent: LoadedDefinition = {
    ...general,
    name: 'agent',
    prompt: 'You are it.',
    source: 'project',
    ...more,
  }
  const troupe = createTestRuntime({
    definitions: [...testDefinitions, agent],
    script: (request) =>
      request.system.includes('You are the main agent.') && request.messages.length === 1
        ? { calls: [['Agent', { description: 'a', prompt: 'Do it.', subagent_type: 'agent' }]] }
        : { text: lastWords(request) },
    ...options,
  })
  troupe.runtime.tools.add('docs', [tool('mcp__docs__find', 'search'), tool('mcp__docs__write', 'other')])
  const { tools, conditions } = await troupe.runtime.toolsIn(FOLDER)
  const { name, source } = agent
  const shown = effectiveTools(agent, { name, source, offered: true, tools, conditions }).allowed
  await troupe.runtime.settled(await troupe.begin('Start it.'))
  const spawned = troupe.events.find(
    (event): event is EventOf<'agent-spawned'> =>
      event.type === 'agent-spawned' && event.definition.name === 'agent',
  )
  return { shown: [...shown].sort(), given: spawned?.tools.map((tool) => tool.name).sort() ?? null }
}

const tool = (name: string, kind: AnyTool['kind']): AnyTool => ({
  name,
  aliases: [],
  description: 'Looks into documents.',
  schema: { type: 'object', properties: {}, additionalProperties: false },
  kind,
  icon: 'plug',
  label: name,
  concurrent: false,
  sideEffects: () => true,
  summary: () => '',
  run: async () => ({ isError: false, content: 'done', note: '' }),
})

test.each<[string, Partial<LoadedDefinition>, Partial<TestOptions>]>([
  ['without lists', {}, {}],
  ['with skills', {}, { skills: () => [skill] }],
  ['with a list', { tools: ['Read', 'Bash(git diff:*)', 'mcp__docs', 'AskUserQuestion'] }, {}],
  ['that denies everything', { disallowedTools: ['*'] }, {}],
  ['that denies a broken entry', { disallowedTools: ['Bash(', 'WebSearch(x)'] }, {}],
  ['that reads only', { readOnly: true }, {}],
  ['in the background', { background: true }, {}],
  ['that names the notebook tool', { tools: ['Read', 'NotebookEdit'] }, {}],
  ['in an untrusted folder', {}, { policy: { trusted: () => false } }],
  ['whose setting gives no MCP tools', {}, { policy: { mcpToolsForSubagents: 'none' } }],
  [
    'whose setting gives listed MCP tools',
    { tools: ['*', 'mcp__docs__find'] },
    { policy: { mcpToolsForSubagents: 'listed' } },
  ],
  ['whose setting allows no deeper agents', {}, { policy: { maxDepth: 1 } }],
  ['whose tools a rule denies', {}, { ports: { rules: createMemoryRules({ deny: ['WebFetch', 'Edit'] }) } }],
])('the editor shows the tools of an agent %s as the runtime gives them', async (_, more, options) => {
  const { shown, given } = await bothFor(more, options)
  expect(given ?? []).toEqual(shown)
})

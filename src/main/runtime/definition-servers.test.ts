/** MCP servers that a definition describes itself: started before its agent, for its agents only, ended with them. */
import { expect, test } from 'vitest'
import type { ServerTools } from './ports/ports.ts'
import { addedTool } from './testing/added-tool.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime, testDefinitions } from './testing/test-runtime.ts'

const search = addedTool('mcp__own__search', {
  onlyWhereNamed: true,
  run: async () => ({ isError: false, note: '', content: '3 hits' }),
})

test('the tools of a described server are there for the agents of its definition, and for no other', async () => {
  const told: string[] = []
  let troupe: TestRuntime
  let remove = () => {}
  const serverTools: ServerTools = {
    servers: () => [],
    ready: async () => {},
    closed: () => {},
    need: async (_, { name, mcpServers }) => {
      if (!mcpServers?.some((server) => typeof server !== 'string')) return []
      told.push(`need ${name}`)
      remove()
      remove = troupe.runtime.tools.add('mcp:own', [search])
      return ['The MCP server other of this definition failed: It ended.']
    },
    released: (_, servers) => told.push(`released ${servers.join(' ')}`),
  }
  const [, helper] = testDefinitions
  if (!helper) throw new Error('no definition')
  const definitions = [
    ...testDefinitions,
    { ...helper, name: 'reviewer', mcpServers: [{ own: { command: 'x' } }] },
    { ...helper, name: 'tester' },
  ]
  troupe = createTestRuntime({
    script: script(
      [
        { calls: [agentCall('review', { subagent_type: 'reviewer' })] },
        { calls: [agentCall('test', { subagent_type: 'tester' })] },
        { text: 'Done.' },
      ],
      (request) => {
        const has = request.tools.some(({ name }) => name === 'mcp__own__search')
        if (lastWords(request).includes('3 hits')) return { text: 'Found.' }
        return has ? { calls: [['mcp__own__search', {}]] } : { text: 'I have no search.' }
      },
    ),
    definitions,
    ports: { serverTools },
  })
  const conversationId = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
  await troupe.runtime.settled(conversationId)
  expect(told).toEqual(['need reviewer', 'released own'])
  const [, first, second] = troupe.model.requests.filter(isMain).map((request) => lastWords(request))
  expect(first).toContain('Found.')
  expect(second).toContain('I have no search.')
  const [reviewer] = childrenOf(troupe)
  expect(troupe.store.logs.get(reviewer?.agentId ?? '')).toContainEqual(
    expect.objectContaining({ type: 'notice', text: expect.stringContaining('The MCP server other') }),
  )

  // A message starts the agent again, and its server with it.
  told.length = 0
  const agentId = reviewer?.agentId ?? ''
  const content = [{ type: 'text' as const, text: 'Look again.' }]
  expect(
    await troupe.runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content }),
  ).toMatchObject({ ok: true })
  await expect.poll(() => told).toEqual(['need reviewer', 'released own'])
})

import { expect, test } from 'vitest'
import { type AgentDefinition, plainDefinition } from './agent-definition.ts'
import { grownRights } from './grown-rights.ts'

type Part = Partial<AgentDefinition>
const grown = (before: Part, now: Part) =>
  grownRights({ ...plainDefinition('a', 'b'), ...before }, { ...plainDefinition('a', 'b'), ...now })

const hook = (command: string) => ({ PreToolUse: [{ hooks: [{ type: 'command', command }] }] })

const program = { command: 'gemini', args: ['--acp'], env: {} }

test.each<[Part, Part, string]>([
  [{}, { program }, 'it starts a program: gemini --acp'],
  [{ program }, { program: { ...program, args: ['-x'] } }, 'it starts a program: gemini -x'],
  [{ program }, { program: { ...program, env: { A: '1' } } }, 'it starts a program: gemini --acp (with A)'],
  [{ tools: ['Read'] }, { tools: ['Read', 'Bash'] }, 'more tools: Bash'],
  [{ tools: ['Bash(git diff:*)'] }, { tools: ['Bash'] }, 'more tools: Bash'],
  [{ tools: ['Bash(git diff:*)'] }, { tools: ['Bash(rm:*)'] }, 'more tools: Bash(rm:*)'],
  [{ tools: ['Read'] }, { tools: null }, 'more tools: all'],
  [{ tools: ['Read'] }, { tools: ['*'] }, 'more tools: all'],
  [{ tools: [] }, { tools: ['Agent(Explore)'] }, 'more tools: Agent(Explore)'],
  [{ disallowedTools: ['Bash'] }, { disallowedTools: [] }, 'tools no longer denied: Bash'],
  [{ disallowedTools: ['Bash'] }, { disallowedTools: ['Bash(rm:*)'] }, 'tools no longer denied: Bash'],
  [
    { permissionMode: 'plan' },
    { permissionMode: 'acceptEdits' },
    'its permission mode is acceptEdits instead of plan',
  ],
  [{}, { permissionMode: 'bypassPermissions' }, 'its permission mode is bypassPermissions'],
  [{ permissionMode: 'plan' }, { permissionMode: null }, 'its permission mode is no longer at most plan'],
  [{ permissionMode: 'plan' }, { permissionMode: 'bubble' }, 'its permission mode is no longer at most plan'],
  [{}, { hooks: hook('a.sh') }, 'new or changed hooks: PreToolUse'],
  [{ hooks: hook('a.sh') }, { hooks: hook('b.sh') }, 'new or changed hooks: PreToolUse'],
  [{ hooks: hook('guard.sh') }, { hooks: null }, 'new or changed hooks: PreToolUse'],
  [{ mcpServers: ['github'] }, { mcpServers: ['github', 'files'] }, 'more MCP servers: files'],
  [{ mcpServers: ['github'] }, { mcpServers: null }, 'more MCP servers: all'],
  [{}, { mcpServers: [{ own: { command: 'x' } }] }, 'more MCP servers: own'],
  [
    { mcpServers: [{ own: { command: 'x' } }] },
    { mcpServers: [{ own: { command: 'y' } }] },
    'more MCP servers: own',
  ],
  [{}, { background: true }, 'it always runs in the background'],
  [{ isolation: 'worktree' }, { isolation: null }, 'it no longer works in a worktree'],
  [{ readOnly: true }, { readOnly: false }, 'it is no longer read-only'],
  [{}, { forkContext: true }, 'it sees the whole conversation'],
  [{}, { memory: 'user' }, 'it has a memory (user)'],
  [{}, { skills: ['deploy'] }, 'more skills: deploy'],
  [{}, { name: 'Explore' }, 'another name: Explore'],
  [{}, { aliases: ['main'] }, 'another name: main'],
])('%j to %j has more: %s', (before, now, phrase) => {
  expect(grown(before, now)).toEqual([phrase])
})

test.each<[Part, Part]>([
  [{}, {}],
  [{}, { description: 'else', prompt: 'else', model: 'opus', maxTurns: 3, color: 'red' }],
  [{ tools: ['Read', 'Bash'] }, { tools: ['Read'] }],
  [{ tools: ['Bash'] }, { tools: ['Bash(git diff:*)'] }],
  [{ tools: ['Task(Explore)'] }, { tools: ['Agent(Explore)'] }],
  [{ tools: null }, { tools: ['Bash'] }],
  [{ disallowedTools: ['Bash(rm:*)'] }, { disallowedTools: ['Bash'] }],
  [{ permissionMode: null }, { permissionMode: 'plan' }],
  [{ permissionMode: 'acceptEdits' }, { permissionMode: 'plan' }],
  [{ background: true }, { background: false }],
  [{}, { isolation: 'worktree', readOnly: true }],
  [{ mcpServers: null }, { mcpServers: ['github'] }],
  [{ hooks: hook('a.sh') }, { hooks: hook('a.sh') }],
  [{ aliases: ['B'] }, { aliases: ['b', 'A'] }],
])('%j to %j has no more', (before, now) => {
  expect(grown(before, now)).toEqual([])
})

import { expect, test } from 'vitest'
import { COMMANDS, type CommandContext, commandApplies } from './commands.ts'
import { AGENT_KEYS, PANEL_KEYS } from './key-map.ts'
import { VIEWS } from './views.ts'

const CONTEXTS: readonly CommandContext[] = (['none', 'untrusted', 'trusted'] as const).flatMap((folder) =>
  [true, false].flatMap((conversation) =>
    [0, 2].flatMap((workingAgents) =>
      [0, 1].map((pausedAgents) => ({
        folder,
        conversation,
        workingAgents,
        pausedAgents,
        stoppedAgents: 1 - pausedAgents,
      })),
    ),
  ),
)

test('every id is unique', () => {
  const ids = COMMANDS.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each(CONTEXTS)('no two commands that apply at the same time share a key: %o', (context) => {
  const keys = COMMANDS.filter((command) => commandApplies(command, context)).flatMap(
    (command) => command.keys ?? [],
  )
  const all = [...keys, ...new Set(Object.values(AGENT_KEYS)), ...Object.values(PANEL_KEYS)]
  expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([])
})

test('every view has a command with its title and its key', () => {
  expect(VIEWS.map(({ id }) => id)).toEqual([
    'stage',
    'agents',
    'timeline',
    'review',
    'environments',
    'teams',
    'search',
    'conversations',
    'settings',
  ])
  for (const { id, title, keys } of VIEWS)
    expect(COMMANDS.find((command) => command.id === id)).toMatchObject({ title, keys, group: 'Go to' })
})

test('commands for agents apply only while such agents exist', () => {
  const titles = (context: Partial<CommandContext>) => {
    const none: CommandContext = {
      folder: 'none',
      conversation: false,
      workingAgents: 0,
      pausedAgents: 0,
      stoppedAgents: 0,
    }
    return COMMANDS.filter(({ when }) => when?.({ ...none, ...context })).map(({ title }) => title)
  }
  expect(titles({})).toEqual([])
  expect(titles({ workingAgents: 1 })).toEqual(['Pause all agents', 'Stop all agents'])
  expect(titles({ pausedAgents: 1 })).toEqual(['Continue all agents', 'Stop all agents'])
  expect(titles({ stoppedAgents: 1 })).toEqual(['Continue all agents'])
  const inFolder = [
    'New agent…',
    'Test this agent',
    'Open terminal',
    'Choose model…',
    'Choose permission mode…',
    'Coordinator mode',
  ]
  const best = 'Send to several agents…'
  expect(titles({ folder: 'untrusted' }).toSorted()).toEqual([...inFolder, 'Trust folder…'].toSorted())
  expect(titles({ folder: 'trusted' })).toEqual([...inFolder, best])
  expect(titles({ comparisons: 1 })).toEqual(['Comparison'])
})

/** The external agents in every state that the window shows. */

import { programState } from '../../../src/renderer/testing/program-state.ts'
import type { DefinitionInfo } from '../../../src/shared/agent-definition/agent-catalog.ts'
import type { ProgramState } from '../../../src/shared/external-agents/known-program.ts'

const LOGIN = 'Log in with its own command once, or with a button in its panel.'

export const scenePrograms: readonly ProgramState[] = [
  programState('claude-code', {
    login: LOGIN,
    title: 'Claude Code',
    maker: 'Anthropic',
    about: 'Anthropic’s coding agent, with the subscription or the key that you use it with.',
    package: '@agentclientprotocol/claude-agent-acp',
    pinned: '0.100.0',
    place: 'own',
    file: '/home/ada/.local/share/troupe/agents/claude-code/node_modules/.bin/claude-agent-acp',
    version: '0.100.0',
    isUsed: true,
    lacks: ['It uses its own tools: what it does without asking is seen afterwards.'],
  }),
  programState('codex', {
    login: LOGIN,
    title: 'Codex',
    maker: 'OpenAI',
    about: 'OpenAI’s coding agent, which runs commands in a sandbox of its own.',
    package: '@agentclientprotocol/codex-acp',
    pinned: '2.6.0',
    place: 'own',
    file: '/home/ada/.local/share/troupe/agents/codex/node_modules/.bin/codex-acp',
    version: '2.5.1',
    update: '2.6.0',
    isUsed: true,
    lacks: ['Codex does not report its cost.', 'It takes no images.'],
  }),
  programState('gemini', {
    login: LOGIN,
    title: 'Gemini CLI',
    maker: 'Google',
    about: 'Google’s coding agent in the terminal.',
    package: '@google/gemini-cli',
    pinned: '0.18.4',
    place: 'path',
    file: '/usr/local/bin/gemini',
    version: '0.18.4',
    lacks: ['Gemini CLI does not report its cost.'],
  }),
  programState('opencode', {
    login: LOGIN,
    title: 'opencode',
    maker: 'Anomaly',
    about: 'An open coding agent for many models.',
    package: 'opencode-ai',
    pinned: '1.0.220',
  }),
]

/** The agents of those in use. */
export const programDefinitions: readonly DefinitionInfo[] = scenePrograms
  .filter(({ isUsed }) => isUsed)
  .map(({ id, about }) => ({
    ...{ name: id, description: about, source: 'built-in', color: 'pink', model: 'inherit' },
    ...{ tools: null, hidden: false, isProgram: true as const },
  }))

/** Surroundings of a definition for tests. */

import type { CatalogEntry } from '../../../../../shared/agent-definition/agent-catalog.ts'
import { openConditions } from '../../../../../shared/agent-definition/effective-tools.ts'
import type { DefinitionSurroundings } from '../../surroundings.ts'

const TOOLS =
  'Read Glob Grep Write Edit NotebookEdit Bash WebFetch WebSearch Agent SendMessage TodoWrite Skill AskUserQuestion mcp__github__issues mcp__github__search'

export function formSurroundings(): DefinitionSurroundings {
  return {
    entry: {
      id: '/p/.claude/agents/odd.md',
      name: 'odd-one',
      source: 'project',
      plugin: null,
      file: '/p/.claude/agents/odd.md',
      path: 'odd.md',
      locked: false,
    },
    stem: 'odd',
    catalog: {
      entries: ['Explore', 'Plan'].map(builtIn),
      tools: TOOLS.split(' '),
      conditions: openConditions,
      skills: ['alpha', 'gamma'].map((name) => ({
        name,
        description: `About ${name}.`,
        source: 'project',
        file: `/p/${name}/SKILL.md`,
      })),
      servers: ['github'],
    },
    models: [{ id: 'claude-opus-5-5', name: 'Opus 5.5' }],
  }
}

function builtIn(name: string): CatalogEntry {
  return {
    id: `built-in:${name}.md`,
    name,
    source: 'built-in',
    plugin: null,
    file: null,
    path: `${name}.md`,
    color: 'blue',
    description: `${name} works.`,
    state: 'offered',
    locked: true,
    shadowedBy: null,
    overrides: [],
    diagnostics: [],
    content: null,
  }
}

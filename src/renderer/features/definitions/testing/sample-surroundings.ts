/** Surroundings of a definition for tests: some tools, agents, skills, a server and models. */

import type { CatalogEntry } from '../../../../shared/agent-definition/agent-catalog.ts'
import { openConditions } from '../../../../shared/agent-definition/effective-tools.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

export function sampleSurroundings(): DefinitionSurroundings {
  return {
    entry: sampleEntry('reviewer', 'Reviews changes.'),
    stem: 'reviewer',
    catalog: {
      entries: [
        sampleEntry('reviewer', 'Reviews changes.'),
        sampleEntry('Explore', 'Reads code.'),
        { ...sampleEntry('broken', ''), state: 'refused' },
      ],
      tools: ['Agent', 'Read', 'Write', 'Edit', 'Grep', 'Bash', 'WebFetch', 'WebSearch'],
      conditions: openConditions,
      skills: [
        {
          name: 'commit',
          description: 'Writes a commit message.',
          source: 'user',
          file: '/u/commit/SKILL.md',
        },
        {
          name: 'owasp',
          description: 'What attackers try first.',
          source: 'project',
          file: '/p/owasp/SKILL.md',
        },
      ],
      servers: ['github'],
    },
    models: [{ id: 'claude-opus-5-5', name: 'Claude Opus 5.5' }],
  }
}

function sampleEntry(name: string, description: string): CatalogEntry {
  return {
    id: `/p/.claude/agents/${name}.md`,
    name,
    source: 'project',
    plugin: null,
    file: `/p/.claude/agents/${name}.md`,
    path: `${name}.md`,
    color: 'pink',
    description,
    state: 'offered',
    locked: false,
    shadowedBy: null,
    overrides: [],
    diagnostics: [],
    content: null,
  }
}

import { expect, test } from 'vitest'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { resolveTools } from '../../../shared/agent-definition/resolve-tools.ts'
import { fileNameOf } from './dialogs/check-new-file.ts'
import { definitionTemplates } from './templates.ts'

const TOOLS = ['Agent', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'Bash', 'WebFetch', 'WebSearch']

test.each(definitionTemplates.map((template) => [template.name, template] as const))(
  'the template %s is a valid agent without problems',
  (name, template) => {
    const { definition, offered, diagnostics } = readDefinition(template.text, { stem: 'x', source: 'x' })
    expect(diagnostics).toEqual([])
    expect(offered).toBe(true)
    expect(definition).toMatchObject({ name, color: template.color })
    expect(fileNameOf(name)).toBe(name)
    expect(definition?.prompt).not.toBe('')
    const { unknown } = resolveTools(
      { tools: definition?.tools ?? null, disallowedTools: [], source: 'project' },
      { tools: TOOLS, depth: 1 },
    )
    expect(unknown).toEqual([])
  },
)

/**
 * Where Troupe deliberately differs from what the author of a definition may expect, as notices for lint and the
 * editor.
 */
import { allowsMore, declaredMode } from '../permissions/permission-modes.ts'
import { type AgentDefinition, type Diagnostic, plainDefinition } from './agent-definition.ts'
import { claudeCodeReading } from './claude-code-reading.ts'
import { type FieldKey, modelAliases } from './definition-fields.ts'
import { LONGEST_FRONTMATTER, scanFrontmatter } from './scan-frontmatter.ts'
import { sourcePositions } from './source-positions.ts'

type Noted = Pick<AgentDefinition, 'name' | 'permissionMode' | 'memory' | 'model' | 'tools' | 'readOnly'> &
  Pick<Partial<AgentDefinition>, 'program'>

/** @param text the file's text, for positions; empty without a file */
export function definitionNotes(text: string, definition: Noted): readonly Diagnostic[] {
  const head = text.slice(0, LONGEST_FRONTMATTER)
  const fields = scanFrontmatter(head)?.fields ?? []
  const note = (key: FieldKey, code: string, message: string): Diagnostic => {
    const field = fields.find((each) => each.key === key)
    const at = sourcePositions(text).at(field?.keyFrom ?? 0, field?.keyTo ?? 0)
    return { code, severity: 'notice', message, fixes: [], ...at }
  }
  return [
    ...(isNameless(text) ? [note('name', 'no-name', nameless(definition.name))] : []),
    ...modeNote(definition).map((message) => note('permissionMode', 'mode-never-raises', message)),
    ...memoryNote(definition).map((message) => note('memory', 'memory-folder-only', message)),
    ...modelNote(definition).map((message) => note('model', 'foreign-model', message)),
  ]
}

function isNameless(text: string): boolean {
  if (text === '') return false
  const reading = claudeCodeReading(text)
  return reading.kind === 'none' && reading.obstacle === 'name'
}

const nameless = (name: string): string =>
  `The name is missing or not text, so the agent is called ${name}. Claude Code leaves such an agent out.`

function modeNote({ permissionMode }: Noted): readonly string[] {
  const declared = declaredMode(permissionMode)
  return declared !== null && allowsMore(declared, 'default')
    ? [
        `${declared} never raises the permission mode: the agent has at most the mode of its parent or the user.`,
      ]
    : []
}

function memoryNote({ memory, tools, readOnly }: Noted): readonly string[] {
  return memory !== plainDefinition('', '').memory && tools !== null && !readOnly
    ? ['Of Read, Write and Edit, memory adds those that tools does not list for the agent’s own folder only.']
    : []
}

/** Models of the public aliases and forms are resolved elsewhere. */
function modelNote({ model, program }: Noted): readonly string[] {
  const isKnown =
    program !== undefined ||
    modelAliases.some((alias) => alias === model) ||
    /^claude-|\/|^(?:default|best|opusplan)$|\[\d+m\]$/i.test(model)
  return isKnown
    ? []
    : [
        `${model} is no model of Claude and names no provider, so requests fail unless your API has it. Write NAME/${model} for a provider, or inherit.`,
      ]
}

/** Hover help in the frontmatter: keys, tools, models, skills. */
import type { EditorState, Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import {
  LONGEST_FRONTMATTER,
  scanFrontmatter,
  scanNames,
} from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { toolFacts } from '../../../../shared/tools/tool-facts.ts'
import { canonicalToolName } from '../../../../shared/tools/tool-names.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'
import { surroundingsOf } from './surroundings-facet.ts'

interface Help {
  readonly from: number
  readonly to: number

  readonly title: string
  readonly text: string
}

export function hoverHelp(): Extension {
  return hoverTooltip((view, position) => {
    const help = helpAt(view.state, position)
    if (help === null) return null
    return {
      pos: help.from,
      end: help.to,
      above: true,
      create: () => {
        const dom = document.createElement('div')
        dom.className = 'cm-help'
        const title = dom.appendChild(document.createElement('strong'))
        title.textContent = help.title
        dom.append(help.text)
        return { dom }
      },
    }
  })
}

/** The help at a position in the document, if any. */
export function helpAt(state: EditorState, position: number): Help | null {
  const surroundings = surroundingsOf(state)
  const text = state.doc.sliceString(0, LONGEST_FRONTMATTER)
  const field = scanFrontmatter(text)?.fields.find(({ keyFrom, to }) => keyFrom <= position && position <= to)
  if (surroundings === null || field === undefined) return null
  const { key, keyFrom, keyTo } = field
  const definition = fieldOf(key)
  if (position <= keyTo)
    return {
      from: keyFrom,
      to: keyTo,
      title: key,
      text: definition?.help ?? 'Unknown key. Kept unchanged.',
    }
  const kind = definition?.key
  if (kind !== 'tools' && kind !== 'disallowedTools' && kind !== 'model' && kind !== 'skills') return null
  const name = scanNames(text, field).find(({ from, to }) => from <= position && position <= to)
  const help = name === undefined ? null : HELP[kind](name.name, surroundings)
  return name === undefined || help === null
    ? null
    : { from: name.from, to: name.to, title: name.name, text: help }
}

const HELP = {
  tools: toolHelp,
  disallowedTools: toolHelp,
  model: modelHelp,
  skills: skillHelp,
} as const

/** One-sentence help for names in a definition: tools, models, skills. */
const MODELS: Readonly<Record<string, string>> = {
  inherit: 'The parent’s model.',
  haiku: 'The fastest, for reading and searching.',
  sonnet: 'For most work.',
  opus: 'For hard work.',
  fable: 'For the hardest work.',
}

/** `entry`: a tool with or without a rule, a server such as `mcp__github`, or a server's tool. */
export function toolHelp(entry: string, { catalog }: DefinitionSurroundings): string | null {
  const bare = entry.replace(/\(.*$/s, '').trim()
  if (bare === '*') return 'All tools.'
  const name = canonicalToolName(bare)
  const known = toolFacts(name)?.help ?? null
  if (known !== null) return name === bare ? known : `${name}: ${known}`
  const [, server, tool] = /^mcp__((?:(?!__).)+)(?:__(.+))?$/s.exec(bare) ?? []
  if (server === undefined) return null
  const state = catalog.servers.includes(server) ? '' : ' (not connected)'
  return tool === undefined
    ? `All tools of the MCP server ${server}${state}.`
    : `The tool ${tool} of the MCP server ${server}${state}.`
}

export function modelHelp(model: string, { models }: DefinitionSurroundings): string | null {
  return MODELS[model.toLowerCase()] ?? models.find(({ id }) => id === model)?.name ?? null
}

function skillHelp(name: string, { catalog }: DefinitionSurroundings): string | null {
  return catalog.skills.find((skill) => skill.name === name)?.description ?? null
}

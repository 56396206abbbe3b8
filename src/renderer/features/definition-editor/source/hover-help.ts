/** Help for what the pointer rests on in the frontmatter: what a key means, a tool, a model, a skill. */
import type { EditorState, Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import { fieldOf } from '../../../../shared/agent-definition/definition-fields.ts'
import {
  LONGEST_FRONTMATTER,
  scanFrontmatter,
  scanNames,
} from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { modelHelp, skillHelp, toolHelp } from './name-help.ts'
import { surroundingsOf } from './surroundings-facet.ts'

export interface Help {
  readonly from: number
  readonly to: number
  /** What it is about. */
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

/** What can be said of a place in the document, or null. */
export function helpAt(state: EditorState, position: number): Help | null {
  const surroundings = surroundingsOf(state)
  const text = state.doc.sliceString(0, LONGEST_FRONTMATTER)
  const field = scanFrontmatter(text)?.fields.find(({ keyFrom, to }) => keyFrom <= position && position <= to)
  if (surroundings === null || field === undefined) return null
  const { key, keyFrom, keyTo } = field
  const meant = fieldOf(key)
  if (position <= keyTo)
    return {
      from: keyFrom,
      to: keyTo,
      title: key,
      text: meant?.help ?? 'This key means nothing here. It is kept as it is.',
    }
  const kind = meant?.key
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

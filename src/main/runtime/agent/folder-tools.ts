/** The tools of a folder's agents outside of every conversation: what the editor of definitions resolves with. */
import type { LeftOutTool } from '../../../shared/agent-definition/agent-catalog.ts'
import type { Ports } from '../ports/ports.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { AnyTool } from '../ports/tool.ts'
import { availableTo, conditionsOf, isEmptyList, nothingListed } from './agent-tools.ts'
import { leftOutTools, type ToolSituation } from './left-out-tools.ts'
import { hasNotebooks, rulesIn } from './spawn-context.ts'

/** Notebooks are looked for once in this time, in ms. */
const NOTEBOOKS_KNOWN_MS = 60_000

/**
 * Answers for one runtime. The conditions are those of an agent that starts now, from a conversation without a team.
 * @param toolsOf the tools of a folder's conversations
 */
export function createFolderTools(
  ports: Ports,
  toolsOf: (folder: string) => readonly AnyTool[],
): Runtime['toolsIn'] {
  const notebooks = new Map<string, { readonly at: number; readonly found: Promise<boolean> }>()
  const findNotebooks = (folder: string) => {
    const now = ports.clock.now()
    const known = notebooks.get(folder)
    if (known !== undefined && now - known.at < NOTEBOOKS_KNOWN_MS) return known.found
    const found = hasNotebooks(folder, ports)
    notebooks.set(folder, { at: now, found })
    return found
  }
  return async (folder) => {
    const { policy } = ports
    const trusted = policy.trusted(folder)
    const [rules, found, skills] = await Promise.all([
      rulesIn(folder, ports),
      findNotebooks(folder),
      ports.skills.list(folder, { trusted }),
    ])
    const tools = toolsOf(folder)
    const situation: ToolSituation = {
      ...rules,
      hasNotebooks: found,
      attended: policy.attended,
      trusted,
      bypassAllowed: policy.bypassAllowed(folder, trusted),
      coordinator: false,
      hasTeam: false,
    }
    const deps = {
      tools: () => tools,
      maxDepth: () => policy.maxDepth,
      coordinator: () => false,
      mcpToolsForSubagents: () => policy.mcpToolsForSubagents,
      situation: () => situation,
      toolNames: new Map(),
    }
    const anyAgent = { depth: 1, readOnly: false, agentTypes: null, deniedAgentTypes: [] }
    const available = availableTo(anyAgent, { definitions: [], skills, refused: [] }, deps)
    const useless = tools.flatMap((tool) => {
      if (tool.isOffered?.() === false)
        return [{ tool: tool.name, because: 'it is not available with the present access to models' }]
      return isEmptyList(tool, available) ? [nothingListed(tool.name)] : []
    })
    return {
      tools: tools.map(({ name }) => name),
      conditions: {
        ...conditionsOf(deps, tools),
        leftOut: (['main', 'subagents'] as const).flatMap((agents) => [
          ...leftOutFor(agents, tools, situation),
          ...useless.map(({ tool, because }) => ({ tool, agents, because })),
        ]),
      },
    }
  }
}

function leftOutFor(
  agents: LeftOutTool['agents'],
  tools: readonly AnyTool[],
  situation: ToolSituation,
): readonly LeftOutTool[] {
  const isMain = agents === 'main'
  const ofNamed = leftOutTools(tools, situation, { isMain, bypasses: false, names: () => true })
  const unnamed = leftOutTools(tools, situation, { isMain, bypasses: false, names: () => false })
  return [...unnamed].map(([tool, because]) => ({
    ...{ tool, because, agents },
    ...(!ofNamed.has(tool) && { unlessNamed: true as const }),
  }))
}

/** The MCP servers of an agent, by name. Inline server configurations are edited in the source. */
import { nearestName } from '../../../../shared/tools/nearest-name.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import type { ChipProblem } from './chip-problem.tsx'
import { useForm } from './form-context.ts'
import { NamesField } from './names-field.tsx'

export function ServersField() {
  const { definition, keyOf, readOnly, reveal, set, surroundings } = useForm()
  const { mcpServers } = definition
  const key = keyOf('mcpServers')
  const names = (mcpServers ?? []).filter((server) => typeof server === 'string')
  const inline = (mcpServers ?? []).flatMap((server) =>
    typeof server === 'string' ? [] : Object.keys(server),
  )
  if (inline.length > 0 && key !== null)
    return (
      <NamesField
        {...FIELD}
        names={[]}
        known={[]}
        onChange={() => {}}
        isFixed
        hint="Edit inline servers in the source."
      >
        {[...names, ...inline].map((name) => (
          <Chip key={name}>{name}</Chip>
        ))}
        <Button variant="quiet" onClick={() => reveal(key)}>
          Line {key.line}
        </Button>
      </NamesField>
    )
  const { servers } = surroundings.catalog
  const problemOf = (name: string): ChipProblem | null => {
    if (servers.includes(name)) return null
    const nearest = nearestName(name, servers)
    if (nearest === null) return { tone: 'needs-you', message: 'Not connected.', suggestion: null }
    const apply = () => set('mcpServers', [...new Set(names.map((each) => (each === name ? nearest : each)))])
    const message = `Not connected. Did you mean ${nearest}?`
    return { tone: 'bad', message, suggestion: { name: nearest, apply } }
  }
  return (
    <NamesField
      {...FIELD}
      names={names}
      known={servers.map((name) => ({ name, help: '' }))}
      problemOf={problemOf}
      note={mcpServers === null ? 'all connected' : names.length === 0 ? 'none' : undefined}
      // An empty list means no servers; a missing key means all connected servers.
      onChange={(next) => set('mcpServers', next)}
    >
      {mcpServers !== null && !readOnly && (
        <Button variant="quiet" className="h-5 px-1.5 text-xs" onClick={() => set('mcpServers', null)}>
          All connected
        </Button>
      )}
    </NamesField>
  )
}

const FIELD = {
  label: 'MCP servers',
  field: 'mcpServers',
  noun: 'server',
  check: (name: string) =>
    /[\s,:]/.test(name) ? 'A server name can’t contain spaces, commas or colons.' : null,
} as const

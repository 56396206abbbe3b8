/** The MCP servers that the agent sees: names here; servers of its own are written in the source. */
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { useForm } from './form-context.ts'
import { NamesField } from './names-field.tsx'

export function ServersField() {
  const { definition, keyOf, readOnly, reveal, set, surroundings } = useForm()
  const { mcpServers } = definition
  const key = keyOf('mcpServers')
  const names = (mcpServers ?? []).filter((server) => typeof server === 'string')
  const own = (mcpServers ?? []).flatMap((server) => (typeof server === 'string' ? [] : Object.keys(server)))
  if (own.length > 0 && key !== null)
    return (
      <NamesField
        {...WORDS}
        names={[]}
        known={[]}
        onChange={() => {}}
        isFixed
        hint="There are servers of its own, so the list is changed in the source."
      >
        {[...names, ...own].map((name) => (
          <Chip key={name}>{name}</Chip>
        ))}
        <Button variant="quiet" onClick={() => reveal(key)}>
          Line {key.line}
        </Button>
      </NamesField>
    )
  return (
    <NamesField
      {...WORDS}
      names={names}
      known={surroundings.library.servers.map((name) => ({ name, help: '' }))}
      missing="No server of this name is connected."
      note={mcpServers === null ? 'all that are connected' : names.length === 0 ? 'none' : undefined}
      // Without the key it would see all of them: an empty list says none.
      onChange={(next) => set('mcpServers', next)}
    >
      {mcpServers !== null && !readOnly && (
        <Button variant="quiet" className="h-5 px-1.5 text-xs" onClick={() => set('mcpServers', null)}>
          All that are connected
        </Button>
      )}
    </NamesField>
  )
}

const WORDS = {
  label: 'MCP servers',
  field: 'mcpServers',
  word: 'server',
  check: (name: string) => (/[\s,:]/.test(name) ? 'A server’s name has no blanks, commas or colons.' : null),
} as const

/** Whether a server may ask the model while it answers a call. */
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { actOnServer } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Switch } from '../../ui/switch.tsx'

export function AsksModelRow({ server: { name, status } }: { readonly server: McpServerState }) {
  const allowed = useSession((state) => state.settings.mcpSampling)
  const [error, change] = useChange()
  const set = async (may: boolean) => {
    const others = allowed.filter((other) => other !== name)
    await change({ mcpSampling: may ? [...others, name] : others })
    // A server learns of it when it connects.
    if (status.kind === 'connected') await actOnServer('reconnect', name)
  }
  return (
    <div className="flex items-center gap-4 rounded-md border border-line bg-bg-1 px-3 py-2.5">
      <div className="grid min-w-0 gap-0.5">
        <h3 className="font-medium text-fg-0 text-sm">May ask the model</h3>
        <p className="text-fg-2 text-xs">
          While it answers a call of an agent, the server may send questions to the agent’s model. Their
          tokens count as the agent’s. Off: such a question is refused.
        </p>
        {error !== null && (
          <p role="alert" className="text-bad text-xs">
            {error}
          </p>
        )}
      </div>
      <span className="ml-auto">
        <Switch
          label={`${name} may ask the model`}
          checked={allowed.includes(name)}
          onChange={(may) => void set(may)}
        />
      </span>
    </div>
  )
}

/** MCP servers that failed or wait for the user, as buttons that show them. */
import { MARKED, showServer, useMcp, useMcpOfFolder } from '../../stores/mcp-store.ts'
import { count } from '../../ui/format.ts'

export function McpStatus() {
  useMcpOfFolder()
  const servers = useMcp((store) => store.state?.servers)
  if (servers === undefined) return null
  const failed = servers.filter(MARKED.failed)
  const waiting = servers.filter(MARKED.waiting)
  const [firstFailed] = failed
  const [firstWaiting] = waiting
  return (
    <>
      {firstFailed !== undefined && (
        <button
          type="button"
          onClick={() => showServer(firstFailed.name)}
          className="max-w-72 truncate text-bad hover:underline focus-visible:-outline-offset-2"
        >
          {failed.length === 1 ? `${firstFailed.name} failed` : `${failed.length} servers failed`}
        </button>
      )}
      {firstWaiting !== undefined && (
        <button
          type="button"
          onClick={() => showServer(firstWaiting.name)}
          className="text-needs-you hover:underline focus-visible:-outline-offset-2"
        >
          {count(waiting.length, 'server waits', 'servers wait')} for you
        </button>
      )}
    </>
  )
}

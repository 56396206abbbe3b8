/** The text of an MCP server that asks for something, marked as the server's. */
import { VisibleText } from '../../ui/text/visible-text.tsx'

export function ServerText({ server, message }: { readonly server: string; readonly message: string }) {
  return (
    <p className="max-h-[20vh] shrink-0 overflow-y-auto text-fg-1 wrap-anywhere" data-selectable="">
      The MCP server{' '}
      <b className="font-medium text-fg-0">
        <VisibleText>{server}</VisibleText>
      </b>{' '}
      asks:{' '}
      <span className="whitespace-pre-wrap text-fg-0">
        <VisibleText>{message}</VisibleText>
      </span>
    </p>
  )
}

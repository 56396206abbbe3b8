/** Why an agent failed. What its program wrote last is set as terminal text, and the command to try can be copied. */
import { Copy } from 'lucide-react'
import { readProgramFailure } from '../../../../shared/program-failure.ts'
import { makeVisible } from '../../../../shared/visible-text.ts'
import { showNotice } from '../../../stores/notice-store.ts'
import { CommandText } from '../../../ui/command-text.tsx'
import { copyText } from '../../../ui/copy-text.ts'
import { IconButton } from '../../../ui/icon-button.tsx'

export function FailureText({ text }: { readonly text: string }) {
  const { what, output, tryCommand } = readProgramFailure(text)
  return (
    <>
      <span>{what}</span>
      {output !== '' && (
        <>
          <span className="mt-1.5 block text-fg-2 text-xs">Its last output</span>
          <code className="mt-0.5 block max-h-40 overflow-y-auto whitespace-pre-wrap rounded-[5px] bg-bg-0 px-2 py-1.5 font-mono text-fg-1 text-xs wrap-anywhere">
            {makeVisible(output)}
          </code>
        </>
      )}
      {tryCommand !== null && (
        <>
          <span className="mt-1.5 block text-fg-2 text-xs">To find out more, run it in a terminal</span>
          <span className="mt-0.5 mb-1.5 flex items-center gap-2 rounded-[5px] bg-bg-0 py-0.5 pr-1 pl-2">
            <code className="min-w-0 flex-1 break-all font-mono text-fg-0 text-xs">
              <CommandText>{tryCommand}</CommandText>
            </code>
            <IconButton icon={Copy} label="Copy command" onClick={() => void copyCommand(tryCommand)} />
          </span>
        </>
      )}
    </>
  )
}

async function copyCommand(text: string): Promise<void> {
  const copied = await copyText(text)
  showNotice(
    copied
      ? { level: 'info', text: 'Command copied.' }
      : { level: 'error', text: 'The system did not allow copying.' },
  )
}

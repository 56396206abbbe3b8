/** A thread that reads one document: the libraries are large, and a hostile document can keep them busy for long. */
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf, sentence } from '../../../shared/kernel/result.ts'
import { fitImage, pdfText } from './document-readers.ts'
import type { DocumentJob } from './documents.ts'

async function read(job: DocumentJob): Promise<unknown> {
  if (job.kind === 'pdf') return pdfText(job.bytes, job.range)
  if (job.kind === 'image') return fitImage(job.bytes, job.limits)
  const { htmlToMarkdown } = await import('./html-to-markdown.ts')
  return { ok: true, value: htmlToMarkdown(job.html, job.address) }
}

read(workerData).then(
  (result) => parentPort?.postMessage(result),
  (thrown: unknown) =>
    parentPort?.postMessage({
      ok: false,
      failure: { type: 'damaged', message: `The document can't be read: ${sentence(messageOf(thrown))}` },
    }),
)

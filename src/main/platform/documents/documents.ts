/** Documents as text, and images, each read by a thread of its own that ends with its time or its memory. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { fail, type Result, sentence } from '../../../shared/kernel/result.ts'
import { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { DocumentReader, FittedImage, ImageLimits, PdfText } from '../../runtime/ports/documents.ts'

export type DocumentJob =
  | { readonly kind: 'html'; readonly html: string; readonly address: string }
  | { readonly kind: 'image'; readonly bytes: Uint8Array; readonly limits: ImageLimits }
  | {
      readonly kind: 'pdf'
      readonly bytes: Uint8Array
      readonly range: { readonly first: number; readonly last: number }
    }

interface DocumentReaderOptions {
  /** The thread's script: see `documentScript`. */
  readonly script: string
  /** For one document, ms. */
  readonly timeLimit?: number
  /** Of one thread. */
  readonly memoryMb?: number
}

const TIME_LIMIT = 30_000
const MEMORY_MB = 512
const AT_ONCE = 2

/** The script of the thread: beside this file in the sources, in `out` of the built program. */
export function documentScript(programFolder: string): string {
  return import.meta.url.endsWith('.ts')
    ? fileURLToPath(new URL('./read-document.worker.ts', import.meta.url))
    : join(programFolder, 'out', 'documents.cjs')
}

export function createDocumentReader(options: DocumentReaderOptions): DocumentReader {
  const places = new Semaphore(() => AT_ONCE)

  async function read<T>(job: DocumentJob, signal: AbortSignal): Promise<Result<T>> {
    if (!(await places.acquire(signal))) return fail(aborted)
    try {
      return await readInThread<T>(job, signal, options)
    } finally {
      places.release()
    }
  }

  return {
    html: (html, address, signal) =>
      read<{ readonly title: string; readonly markdown: string }>({ kind: 'html', html, address }, signal),
    pdf: (bytes, range, signal) => read<PdfText>({ kind: 'pdf', bytes, range }, signal),
    image: (bytes, limits, signal) => read<FittedImage>({ kind: 'image', bytes, limits }, signal),
  }
}

function readInThread<T>(
  job: DocumentJob,
  signal: AbortSignal,
  { script, timeLimit = TIME_LIMIT, memoryMb = MEMORY_MB }: DocumentReaderOptions,
): Promise<Result<T>> {
  const thread = new Worker(script, {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  })
  let timer: NodeJS.Timeout | undefined
  return new Promise<Result<T>>((resolve) => {
    const damaged = (message: string) => resolve(fail({ type: 'damaged', message }))
    timer = setTimeout(() => resolve(fail(tooSlow)), timeLimit)
    signal.addEventListener('abort', () => resolve(fail(aborted)), { once: true })
    if (signal.aborted) resolve(fail(aborted))
    thread.once('message', resolve)
    thread.once('error', ({ message }) => damaged(`The document can't be read: ${sentence(message)}`))
    thread.once('exit', () => damaged("The document can't be read."))
  }).finally(() => {
    clearTimeout(timer)
    return thread.terminate()
  })
}

const aborted = { type: 'aborted', message: 'The call was stopped.' }
const tooSlow = {
  type: 'timeout',
  message: 'The document takes too long to read. Use a command for its format instead.',
}

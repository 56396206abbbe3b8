import { files } from './cases/files.ts'
import { tryAttacks } from './try-attacks.ts'

tryAttacks(files)

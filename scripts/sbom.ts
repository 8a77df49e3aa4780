import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { EXCEPTIONS, installedLicence, productionPackages, unclearPackages } from './licences.ts';

/**
 * `npm run sbom [-- FILE]`: a bill of materials from the lock file (CycloneDX), and a check of production's licences.
 */
const file = process.argv[2] ?? 'dist/sbom.cdx.json';

const ComponentSchema = z.looseObject({
  name: z.string(),
  externalReferences: z.array(z.unknown()).optional(),
  licenses: z.array(z.unknown()).optional(),
});
const BomSchema = z.looseObject({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.looseObject({ component: ComponentSchema }),
  components: z.array(ComponentSchema),
});
const NameSchema = z.object({ name: z.string() });

const { name } = NameSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')));
const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
const listed = execFileSync('npm', args, {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const bom = BomSchema.parse(JSON.parse(listed));

/**
 * npm calls the project by its folder, leaves older spellings of licences out, and may name where packages were loaded
 * from.
 */
const components = bom.components.map(({ externalReferences: _places, ...component }) => {
  const licence = component.licenses === undefined ? installedLicence(`node_modules/${component.name}`) : undefined;
  return licence === undefined ? component : { ...component, licenses: [{ license: { name: licence } }] };
});
const { externalReferences: _places, ...project } = bom.metadata.component;
const complete = { ...bom, metadata: { ...bom.metadata, component: { ...project, name } }, components };
mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
writeFileSync(file, `${JSON.stringify(complete, undefined, 2)}\n`);

const packages = productionPackages('package-lock.json');
const unclear = unclearPackages(packages);
process.stdout.write(`${file}: ${components.length} components, ${packages.length} of them in production\n`);
for (const [exception, reason] of Object.entries(EXCEPTIONS))
  process.stdout.write(`  exception: ${exception}: ${reason}\n`);
for (const one of unclear)
  process.stdout.write(`  UNCLEAR: ${one.name} ${one.version}: ${one.licence ?? 'no licence'}\n`);
process.exit(unclear.length === 0 ? 0 : 1);

// Endings by which medicine makes its words, and words that end so by chance. Lists only.
import type { ClinicalGroup } from "./clinical-vocabulary.ts";

/** Greek and Latin endings of illnesses, and those of compounds in German, Dutch and the Scandinavian languages. */
const OF_CONDITIONS = `
	itis fibrosis sclerosis cirrhosis stenosis thrombosis necrosis tuberculosis endometriosis sarcoidosis arthrosis arthrose silicosis psychosis neurosis
	acidosis cyanosis steatosis lordosis kyphosis scoliosis candidosis candidiasis mycosis trichosis lithiasis psoriasis ketosis diverticulosis spondylosis
	leukaemia leukemia glycaemia glycemia lipidemia lipidaemia ischaemia ischemia bacteraemia bacteremia thalassemia thalassaemia septicaemia
	septicemia hypoxemia hypoxaemia natraemia natremia kalaemia kalemia calcemia calcaemia viremia uraemia uremia polycythaemia polycythemia
	haematuria hematuria proteinuria glycosuria polyuria dysuria nocturia oliguria bacteriuria ketonuria
	neuropathy myopathy retinopathy nephropathy cardiomyopathy angiopathy arthropathy lymphadenopathy tendinopathy encephalopathy gastropathy radiculopathy
	carcinoma melanoma lymphoma sarcoma glioma myeloma fibroma adenoma mesothelioma hematoma haematoma blastoma glaucoma granuloma lipoma
	meningioma neuroma cytoma angioma osteoma seminoma papilloma
	myalgia neuralgia arthralgia cephalalgia plegia plegic megaly penia rrhoea rrhea rrhage rrhagia
	krebs karzinom entzündung insuffizienz erkrankung fraktur lähmung vergiftung blutung syndrom infarkt allergie knochenbruch armbruch beinbruch
	rippenbruch beckenbruch schädelbruch wirbelbruch leistenbruch halsbruch hüftbruch gelenkbruch alkoholsucht drogensucht spielsucht
	magersucht tablettensucht angststörung essstörung schlafstörung belastungsstörung zwangsstörung rhythmusstörung heupbreuk botbreuk
	armbreuk beenbreuk polsbreuk enkelbreuk ontsteking ziekte stoornis verslaving lungcancer bröstcancer sjukdom sygdom sykdom
`;

/** Operations and examinations. */
const OF_TREATMENTS = `
	ectomy ectomie ektomie ectomia ectomía ostomy ostomie ostomia tracheotomy craniotomy thoracotomy laparotomy osteotomy episiotomy plasty plastie
	arthroscopy colonoscopy gastroscopy bronchoscopy endoscopy laparoscopy cystoscopy hysteroscopy colposcopy rectoscopy laryngoscopy
	endoskopie gastroskopie koloskopie coloscopie opexy centesis tripsy pheresis spiegelung
`;

/** Stems by which the WHO names substances (INN), with the vowels that other languages put behind them. */
const OF_MEDICINES = `
	april opril ipril sartan sartán sartana vastatin vastatine vastatina imab umab zumab ximab cillin cilline cillina cilina conazole conazol
	nidazole nidazol thiazole prazole prazol dazole mycin mycine micina floxacin floxacine floxacino floxacina olol ololo dipine dipin dipino
	gliptin gliptina gliflozin gliflozina glutide glutida xaban xabán parin parine parina tinib triptan triptán setron semide semid thiazide thiazid azepam
	zolam barbital lukast profen profène profeno coxib dronate dronat clofenac pramine pramin triptyline triptylin oxetine oxetin oxetina peridol
	tiapine zapine azodone peridone idipine vudine navir tavir clovir ciclovir buvir meterol beterol butamol methasone metasone nisone nisolone
	cortisone fibrate relin grastim poetin giline zosin caine glitazone glifozin formin racetam gabalin lamide vastatins iptan nercept tacept
	methadol tropium terenol ofenac azosin trexate platin taxel rubicin
`;

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

export const CLINICAL_ENDINGS: readonly (readonly [ClinicalGroup, readonly string[]])[] = [
	["condition", words(OF_CONDITIONS)],
	["treatment", words(OF_TREATMENTS)],
	["medicine", words(OF_MEDICINES)],
];

/** Words that end so and are nothing of medicine. */
export const NO_CLINICAL_WORDS: ReadonlySet<string> = new Set(
	words(`
	cocaine hurricaine flusskrebs einsiedlerkrebs taschenkrebs widerspiegelung vorspiegelung bespiegelung rückspiegelung
`),
);

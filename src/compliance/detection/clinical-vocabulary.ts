// Words of medicine by what they say of somebody who is meant. Lists only: `*` ends a stem, and letters beyond ASCII are letters.

/** Illnesses, injuries, pregnancy and disability: with a person in the sentence, somebody's health. */
const CONDITIONS = `
	abscess* allergy allergies ocd hashimoto* alzhéim* raynaud* hodgkin* bechterew* ehlers dupuytren* creutzfeldt* klinefelter* immunocompromis* immunosuppress* autoimmun* autista autistisch* injury injuries caries erythema* purulen* haemoptysis hemoptysis exudat* ascites atelectas* effusion* infiltrat* pallor cyanos* schwerbehind* stotter* lice headlice stye reflux clot clots hta dt2 gad mdd infertil* bettnäss* fièvre hypothermi* intoxicat* concussed haemophilia verletz* oberschenkelhals* uitzaaiing* metastas* zeckenbiss* borrelios* acidosis acne adenoma* adhd agoraphobi* alzheimer* amblyopia amenorrh* amnesia amputee* anaemi* anaphyla* anemi*
	aneurysm* angina anorexi* aphasi* apnea apnoea appendicitis arrhythmi* arthriti* asperger* asthma* astigmatism ataxia atherosclero*
	atresia autis* bedsore* bipolar blindness borreliosis botulism bpd bph brca1 brca2 bronchiti* bronchiolitis bruxism bulimi* bunion*
	burnout bursitis cancer* carcinoma* cardiomyopath* cataract* celiac coeliac cellulitis chickenpox chlamydia cholera
	cirrhosis claudication clubfoot colitis concuss* conjunctivitis contusion* copd covid crohn* ctcl cyst cysts cystitis
	dcis deaf deafness decubitus delirium dementia dengue dermatitis diabet* diphtheria diverticul* dvt dysentery dyslexi*
	dysmenorrh* dysphag* dysphori* dyspepsia dysplasia dyspraxi* dystroph* eclampsia ectopic eczema embolism emphysema encephal* endocarditis
	endometrio* enuresis epilep* erysipelas fibroid* fibromyalgi* fibrosis fistula fracture* frostbite gangrene gastriti*
	gastroenteritis gastroparesis gerd gestational glaucoma goitre goiter gonorrh* gout guillain haemophil* hemophil*
	haemorrhag* haemorrhoid* hematoma haematoma hemiparesis hemiplegi* hemorrhag* hemorrhoid* hepatitis hernia* herniat* herpes hiv hpv
	htn hydrocephalus hyperglyc* hyperlipid* hypertensi* hyperthyroid* hypoglyc* hypotens* hypothyroid* hypoxi* ibs
	impetigo incontinen* infarct* infertil* influenza ischaemi* ischemi* jaundice keloid* ketoacidosis kyphosis
	leprosy leukaemi* leukemi* lupus lyme lymphedema lymphoma* malaria malnutrition mastitis measles melanoma* meniere*
	meningitis menopaus* metasta* migraine* miscarr* insomnia insomniac dissociate dissociation syndrome* disorder* disease* hospitaliz* hospitalis* mononucleosis mrsa mumps myeloma myocarditis myopia narcolep*
	necrosis nephrolithiasis neuralgia neuropath* neurodiver* nstemi obese obesity osteoarth* osteopen* osteopor* otitis overdos* palsy
	pancreatitis paralys* paranoi* paraple* parkinson* pcos pericarditis peritonitis pertussis phobia placenta* pleurisy pneumoni*
	pneumothorax polio polyp polyps postpartum preeclampsi* pregnan* prolapse* prostatitis psoria* psychosis psychotic
	ptsd quadriple* rabies raped relapsed retinopath* rheumat* rickets rosacea rubella salmonell* sarcoid* sarcoma* scabies
	schizo* sciatica scleroderma sclerosis scoliosis seizure* sepsis septic shingles sickle silicosis sinusitis sjögren* smallpox
	spondyl*  stammer* stillbirth stillborn strep stroke stutter* suicidal syncope syphilis t1dm t2dm tachycardia
	bradycardia tendonitis tendinitis tendinopathy tetanus thalassemi* thrombos* thrombus tinnitus tonsillitis tourette* toxoplasm* traumati* trisomy
	tuberculosis tumor* tumour* typhoid typhus ulcer* uti vasculitis vaginismus varicella varicos* vertigo vitiligo wart warts whiplash
	waterpokken windpocken adenomyosis hyperemesis herzinfarkt adipositas angststörung* bandscheibenvorfall* blinddarmentz*
	bluthochdruck blutung* brustkrebs darmkrebs dekubitus demenz* depressiv* depressionen fehlgeburt* fieberkrampf
	gallenstein* gehirnerschütter* gicht grippe gürtelrose* harnwegsinf* hautkrebs hirntumor* kreuzbandriss krankgeschrieb* krankschreib*
	krampfadern krebserkrank* leberzirr* leistenbruch lungenentzünd* lungenembol* magersucht* masern mittelohr* nierenstein*
	nierenversag* nussallergie nebenwirkung* rheuma schlaganf* schuppenflechte schwanger* schwerhörig* suizid* tumorerkr* vorhofflimm*
	zuckerkrank* zöliakie anévrism* asthmatique avc cancéreu* dépressi* diabétique* diabète démence* eczéma enceinte* épilep*
	grossesse* hépatite* hypertendu* leucémi* migraineu* néphrit* otite* phlébite pneumopath* psoriasis schizophrèn* scléros* séroposi* trisomi*
	tumeur* varicelle embaraz* asmátic* cáncer celíac* celiaqu* cirrosis demencia depresi* diabétic* epilépt* epilepsi* esclerosis esquizofr* hepatitis
	hipertens* ictus infarto leucemi* migrañ* neumon* pulmonía seropositiv* sordera tumor varicela vih alergi* celiac* celiachi*
	asma cancro cefalea cirrosi demenza depressio* diabetico diabetica emicrania epatit* epilett* fibrillazione gravidanza incinta ipertens*
	morbillo polmonit* schizofren* sclerosi sieropositiv* tumore tumori cancerosa câncer depressão diabétic* enfarte enxaqueca esclerose
	esquizofren* fibrilhação fibrilação grávida gravidez hipertensão infarte leucemia pneumonia trombose tumoral avcs astma beroerte* bipolair* borstkanker dementie
	depressie* diabeet hartaanval hartfalen* hartinfarct hernia* kanker* longontsteking* miskraam nierfalen reuma* suikerziekte* verslaafd*
	zwanger* ziekmelding celiaki* cukrzyc* nowotw* nadciśnieni* zawał* udaru padaczk* zapaleni* białaczk* marskoś* astm* ciąży ciąż* poronieni* depresj*
	hyperlipidaemia vasovagal gallstone* kidneystone*
`;

/** Operations, treatments, aids and what is done at a birth. */
const TREATMENTS = `
	abortion katheter* krücken hörgerät* prothese* audífon* audioprothes* crutches surgery surgeries hormones ablation amputat* anaesthe* anesthe* angiogra* angioplast* antibiotic* antidepressant* antipsychotic* apicectomy arthroscop*
	bariatric biops* bloodwork brachytherap* caesarean cesarean catheter* chemo chemotherap* circumcis* cochlear
	colonoscop* colposcop* colostom* cpap cryotherap* defibrillat* dialys* dilation echocardio* electroshock endoscop* epidural
	epinephrine epipen* gastroscop* haemodialysis hemodialysis hospice hysteroscop* ileostom* immunotherap* insemination intubat*
	ivf laparoscop* laparotom* liposuction lithotrip* lobotomy mammogram* mastectom* methadone nephrostom* orthodont* orthopaed*
	pacemaker* palliative physio physiotherap* prosthes* prosthetic psychotherap* radiotherap* rehab resuscitat*
	stent stents sterilis* sterilized sutur* tonsillectom* tracheo* transfus* transplant* vasectom* ventilator wheelchair*
	bestrahlung* chemotherapie* dialysepflicht* gebärmutter* herzschrittmacher impfreaktion kaiserschnitt rollstuhl* rollator
	chimio* césarienne marcapasos quimio* radioterapi* cesárea diálisis chemioterap* dialisi
	radiothérap* rolstoel* chemokuur dialyse* histerectom* quimioterapia hysterectom* cataratas* operada operado opérée opéré ingresad* ricoverat*
	hospitalisé* hospitalisiert internad* opgenomen
`;

/** Medicines that no ending gives away, brands among them; the endings are below. */
const MEDICINES = `
	abilify accutane acetaminophen acyclovir adderall adrenalin* albuterol allopurinol amiodarone amitriptylin* amlodipin* amoxicillin* apixaban
	aripiprazole aspirin aspirine aspirina ativan augmentin azathioprin* baclofen benzodiazepin* betablock* bromazepam budesonid* bupropion buprenorphin*
	buspirone carbamazepin* cetirizin* chlorthalidone ciclosporin* clexane clonazepam clonidine clopidogrel codein* colchicin* concerta
	cortisone* cortison* coumadin creon cymbalta cytotoxic* dexamethason* diazepam diclofenac digoxin donepezil doxycyclin*
	duloxetin* effexor eliquis enoxaparin* entresto ephedrin* estradiol estrogen* eutirox fentanyl ferrous finasterid* fluticason*
	fluoxetin* furosemid* gabapentin* glipizide gliclazid* glimepiride haloperidol heparin* herceptin humalog humira hydrocortison*
	hydroxychloroquin* imatinib insulin* insuline insulina interferon* isotretinoin* ivabradin* keppra ketamin* klonopin lamictal
	lamotrigin* lantus lasix letrozol* levetiracetam levodop* levothyrox* lexapro liraglutid* lithium litio lisdexamfetamin* loperamid*
	lorazepam lyrica marcumar mebeverin* melatonin* memantin* mesalazin* metformin* methotrexat* methylphenidat* metoclopramid* metoprolol
	mifepriston* mirtazapin* misoprostol modafinil montelukast morphin* mounjaro naloxon* naltrexon* naproxen nifedipin* nitrofurantoin
	nitroglycerin* norethisteron* olanzapin* omeprazol* ondansetron ozempic oxycodon* oxycontin paxlovid penicillin* percocet phenobarbital
	phenytoin plavix prednis* pregabalin* pristiq prograf progesteron* propranolol prozac pyridostigmin* quetiapin* remicade risperdal
	risperidon* ritalin rivaroxaban ropinirol* salbutamol salmeterol semaglutid* seretide seroquel sertralin* sildenafil spironolacton*
	statin statins sulfasalazin* sumatriptan* suboxone subutex symbicort synthroid tacrolimus tamoxifen tamsulosin* tegretol ticagrelor
	tiotropium tirzepatid* topiramat* tramadol trazodon* truvada valium valproat* vancomycin* venlafaxin* ventolin viagra victoza vyvanse
	warfarin* wegovy wellbutrin xanax xarelto zoloft zolpidem zopiclon* zyprexa sintrom nolotil novalgin* enalapril bisoprolol
`;

/** What a patient feels or shows: two of them, or one with a part of the body or a span of time. */
const SYMPTOMS = `
	afebrile bleed bleeding bled bloated blister* blurr* breathless* bruis* chills constipat*
	convuls* cough* cramp* cramps diarrhea diarrhoea dizzy dizziness drows* dyspn* edema oedema fainted
	fainting fatigue fever* feverish hallucinat* headache* heartburn hives hoarse itch* itchy
	nausea nauseous nauseated palpitation* phlegm
	queasy rash rashes sneez* spotting sweats swell* swollen
	tingling tremor* unconscious urinat* vomit* vomited vomiting wheez* woozy
	purging bingeing
	bauchschmerz* brustschmerz* durchfall erbrech* erbroch* fieber* geschwollen* husten* kopfschmerz* rückenschmerz* schwindel* schwindlig
	übelkeit ohnmächtig ohnmacht atemnot juckreiz thoraxschmerz* fièvre vertige* vomi* nausée* saigne* gonflé*
	démange* étourdi* fiebre mareo* marea mareado* mareada* vómito* náusea* sangrado* sangra hinchad* desmay*
	febbre vertigini nausea sanguina* gonfi* svenut* febre tontura* enjoo* vômito* vómitos sangrament* inchad*
	desmai* koorts hoesten duizelig* misselijk* overgeven bloeding* gezwollen flauwgeval* jeuk
`;

/** What may be of the body or of something else: with a part of the body, or beside a symptom. */
const SENSATIONS = `
	ache aches aching burning confus* contraction* discharge erection exhausted hurt hurting hurts infected inflamed limp limping lump lumps numb numbness pain painful pains panic period pus redness seizing shaky shiver* sore sores
	benauwd* bowel dolor dolore dolores dolori dor dores douleur* faint flushing lethargic mucus picor pijn schmerz* spasm* stiff stiffness stool stools tender tos tosse toux twitch* urine weak weakness wound wounds übel
`;

/** Parts of the body; none says anything alone. */
const ANATOMY = `
	bone bones clavicle collarbone femur fémur fêmur tibia fibula pelvis skull jawbone rippe rippen schlüsselbein hüfte schulter handgelenk oberschenkel knöchel hombro muñeca tobillo polso caviglia pols enkel heup spleen pancreas
	abdomen abdominal abdo ankle ankles arm arms armpit artery back belly bladder bowels breast breasts breath calf cervix chest colon ear ears elbow eye
	eyes face finger fingers foot feet gallbladder groin gum gums hand hands heart heel hip hips jaw joint joints kidney kidneys knee knees
	leg legs lip liver lumbar lung lungs mouth muscle neck nipple nose ovary pelvis penis prostate rectal rib ribs scalp
	shoulder shoulders skin spine stomach testicle* throat thumb thyroid toe toes tongue tonsils tooth urethra uterus vagina* vein womb wrist
	wrists kopf bauch brust bein beine füße fuß knie rücken herz niere nieren leber lunge magen steißbein haut hals auge augen ohr arm tête
	ventre jambe jambes dos cœur foie rein reins poitrine gorge genou cabeza pecho pierna piernas espalda rodilla corazón riñón hígado
	garganta pies petto gamba gambe schiena ginocchio cuore rene fegato gola piedi cabeça peito perna pernas costas joelho coração
	rim fígado pés hoofd borst been benen rug knie hart nier lever keel voeten
`;

/** What accidents do to a part of the body. */
const INJURIES = `
	fell fallen ballooned broke broken breaks cracked sprain sprained sprains twisted dislocated tore torn burned burnt scalded cut crushed bruised shattered lost gebrochen
	gestürzt verstaucht verbrannt ausgekugelt cassé cassée fracturé foulé roto rota fracturó rompió torció fraturou quebrou partiu torceu rotto rotta slogato
	fratturato gebroken verstuikt gescheurd operato operata operiert
`;

/** What laboratories and instruments measure, and what they measure with. */
const MEASURES = `
	a1c alat albumin* amylase antigen apgar bicarbonat* bilirubin* bmi bnp bp bpm bun ca125 calcitonin cd4 cholesterol* creatinin* crp
	dimer dexa ecg echo eeg egfr ekg emg esr fbc ferritin* fsh gfr ggt ggt gcs glucose glucosa glukose haematocrit haemoglobin* ggt colesterol* cholestérol* hb hba1c hcg
	hct hdl hematocrit hemoglobin* hgb hormone* inr kreatinin* lactate ldh ldl leukocyt* leukozyt* lft lipase lymphocyt* mammogra* mch mcv mmhg mmse
	mri mrt neutrophil* o2 oximet* phq plt platelet* potassium procalcitonin prolactin* psa pth reticulocyt* saturat* sats sgpt
	smear sodium spo2 sputum swab swabbed t4 testosteron* thyroglobulin triglycerid* troponin* tsh ultrasound urea urinalysis
	urobilinogen wbc xray blutdruck blutwerte blutzucker röntgen ultraschall échographie irm scanner glycémie análisis glucemia
	ecografía glicemia ecografia pressione bloeddruk bloedwaarden echografie kreatinine
`;

/** Departments and those who work there: an appointment or a referral there is somebody's. */
const DEPARTMENTS = `
	allergolog* andrology anaesthetist cardiolog* dermatolog* diabetolog* endocrin* epileptologist fertility gastroenterolog* geriatric* gynaecolog*
	gynecolog* haematolog* hematolog* hepatolog* immunolog* infectiolog* neonatal* nephrolog* neurolog* neurosurg* obstetric* oncolog* ophthalmolog* orthoped*
	otolaryngolog* paediatric* pathologist proctolog* psychiatr* pulmonolog* radiolog* rheumatolog* therapist urolog*
	onkolog* kardiolog* gynäkolog* frauenarzt frauenärztin hautarzt lungenfacharzt psycholog* psychotherapeut* rheumatologe cardiologue oncologue
	gynécologue dermatologue psychiatre urologue néphrologue cardiólog* oncólog* ginecólog* dermatólog* psiquiatr* urólog* cardiologo oncologo ginecologo
	psichiatra dermatologo neurologo cardiologista oncologista ginecologista psiquiatra neurologista audiolog*
	dietician dietitian midwife icu
`;

/** Words that begin a clinical phrase or sign; what they mean is decided by it. */
const TRIGGERS = `
	hospital krankenhaus hôpital ospedale ziekenhuis clinic klinik clínica ward optician counsellor genetic history condition care hip hr ct pet
	pt patient patientin patiente paciente paziente patiënt hx pmh pmhx shx fhx hpi nkda nkda rx dx tx sx sob soboe imp mg mcg ml spectrum disabled disability
	behinderung handicapped unfit certificate sick leave late positive negative pathogenic variant mutation carrier lesion benign malignan*
	vaccin* immunis* immuniz* impfung allerg* allergy addicted recovery rehabilitation hypo pump swallowed poisoned dose tablets
	inhaler puffs drops insured claimant coil contraceptive pill trimester weeks woche semana semaines settimana weken oxygen
	ssw gravida para afebrile nil sectioned therapy birads stage grade broke broken tore torn krank erkrankt malade enfermo enferma malato malata doente ziek
	arrêt baja attestation ausweis screening bedridden bedbound carers
	stress breakdown mémoire ritzt drank vitals intracranial fatty enlarged voices blind sober clean wets hearing snores snoring stitches doctor doctors doc gp surgeon dentist midwife arzt ärztin hausarzt hausärztin médecin médico médica dottore dottoressa
	dokter huisarts bypass reha trans breathing sleep breathe cry crying cries phq mmse moca gaf edss nihss barthel epds gtpal iop medical bedarf vaccination
	resourcetype diagnosis diagnoses diagnosed diagnose complaint medication medications comorbid* symptoms chief prescri* admitted admission discharged
`;

/** What a word says. */
export type ClinicalGroup =
	| "condition"
	| "treatment"
	| "medicine"
	| "symptom"
	| "sensation"
	| "anatomy"
	| "injury"
	| "measure"
	| "department"
	| "trigger";

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Words and stems by group; where groups share a word, the first has it. */
export const CLINICAL_WORDS: readonly (readonly [ClinicalGroup, readonly string[]])[] = [
	["condition", words(CONDITIONS)],
	["treatment", words(TREATMENTS)],
	["medicine", words(MEDICINES)],
	["symptom", words(SYMPTOMS)],
	["sensation", words(SENSATIONS)],
	["measure", words(MEASURES)],
	["department", words(DEPARTMENTS)],
	["anatomy", words(ANATOMY)],
	["injury", words(INJURIES)],
	["trigger", words(TRIGGERS)],
];
